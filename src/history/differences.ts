// The changed fields of changes, with names instead of ids.
import { sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth/auth.ts";
import { keyIn } from "../input/keys.ts";
import { resourceOf } from "../resources.ts";
import type { Field } from "../store/field.ts";
import type { Read } from "../store/read.ts";
import type { FieldDifference } from "../store/resource.ts";

/** A past row by its columns. */
export type RowState = Record<string, unknown>;

export interface RowChange {
  table_name: string;
  before: RowState | null;
  after: RowState | null;
}

/** With the table of the record that a value names, if the record still exists. */
export interface LinkedDifference extends FieldDifference {
  links: { old?: string | undefined; now?: string | undefined };
}

interface TrackedColumn {
  field: string;
  column: string;
  /** Its value is within the object of the column. */
  key?: string;
  /** The table that the column's keys belong to. */
  of?: string | undefined;
  isTime?: boolean;
}

/** Members and children of groups: tables without a resource description. */
const LINKS: Record<string, TrackedColumn[]> = {
  group_hosts: [{ field: "host", column: "host_id", of: "hosts" }],
  group_children: [{ field: "child", column: "child_id", of: "groups" }],
};

/** The differences of each change; names are read in one query. */
export async function differences(
  read: Read,
  caller: Caller,
  changes: RowChange[],
): Promise<LinkedDifference[][]> {
  const names = await namesIn(read, caller, changes);
  return changes.map((change) =>
    columnsOf(caller, change.table_name)
      .map((one) => ({
        field: one.field,
        old: displayValue(change.before, one, names),
        now: displayValue(change.after, one, names),
        links: { old: linked(change.before, one, names), now: linked(change.after, one, names) },
      }))
      .filter(({ old, now }) => old !== now),
  );
}

function columnsOf(caller: Caller, table: string): TrackedColumn[] {
  const { fields = {}, history } = resourceOf(table) ?? {};
  const described = Object.entries(fields).flatMap(([field, { column, refersTo, kind, parts }]) => {
    if (!column || STAMPS.includes(field) || history?.without?.includes(field)) return [];
    // Only what the caller knows of.
    if (parts) return partsIn(field, parts(caller));
    return [{ field, column: column(field), of: refersTo?.table, isTime: kind === "time" }];
  });
  return LINKS[table] ?? described;
}

function partsIn(column: string, parts: Record<string, Field>): TrackedColumn[] {
  return Object.entries(parts).map(([field, { shows }]) => ({
    field,
    column,
    key: field.slice(column.length + 1),
    of: shows,
  }));
}

function valueIn(state: RowState | null, { column, key }: TrackedColumn): unknown {
  const value = state?.[column];
  return key === undefined ? value : (value as RowState | null | undefined)?.[key];
}

/** Each change has these columns itself. */
const STAMPS = ["created_at", "updated_at"];

/** The names of referenced records by table and key: "hosts 5". */
type ReferenceNames = Map<string, { name: string; exists: boolean }>;

/** A record that a change names. */
export interface Reference {
  of: string;
  id: unknown;
}

function displayValue(
  state: RowState | null,
  tracked: TrackedColumn,
  names: ReferenceNames,
): string | null {
  const { column, of, isTime } = tracked;
  const value = valueIn(state, tracked);
  if (value == null || isHidden(state, column, names)) return null;
  if (of) return names.get(`${of} ${value}`)?.name ?? (mayHide(of) ? null : String(value));
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : null;
  // As in records: in UTC, to the minute.
  if (isTime) return new Date(String(value)).toISOString().slice(0, 16).replace("T", " ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function linked(
  state: RowState | null,
  tracked: TrackedColumn,
  names: ReferenceNames,
): string | undefined {
  const { of } = tracked;
  return names.get(`${of} ${valueIn(state, tracked)}`)?.exists ? of : undefined;
}

/** Rows of a table without a description are treated as hidden. */
function mayHide(table: string): boolean {
  const resource = resourceOf(table);
  return resource === undefined || resource.history?.hides !== undefined;
}

/** A host whose name was not read is hidden from the caller, and so is the place in its stack. */
function isHidden(state: RowState | null, column: string, names: ReferenceNames): boolean {
  if (column !== "host_id" && column !== "stack_member") return false;
  return state?.host_id != null && !names.has(`hosts ${state.host_id}`);
}

async function namesIn(read: Read, caller: Caller, changes: RowChange[]): Promise<ReferenceNames> {
  // A value that an earlier field of the site has left is no key.
  const references = changes.flatMap((change) =>
    columnsOf(caller, change.table_name).flatMap((tracked) =>
      [change.before, change.after].flatMap((state) => {
        const id = valueIn(state, tracked);
        return tracked.of && keyIn(String(id)) ? [{ of: tracked.of, id }] : [];
      }),
    ),
  );
  return namesOf(read, caller, references);
}

/** The names of records, now or when they were deleted; without those that are hidden from the caller. */
export async function namesOf(
  read: Read,
  caller: Caller,
  references: readonly Reference[],
): Promise<ReferenceNames> {
  if (references.length === 0) return new Map();
  const described = [...new Set(references.map(({ of }) => of))].filter((of) => resourceOf(of));
  if (described.length === 0) return new Map();
  const each = described.map((of) => {
    const ids = [...new Set(references.filter((one) => one.of === of).map(({ id }) => String(id)))];
    const { key: called = "name", history } = resourceOf(of) ?? {};
    return sql`
      select ${`${of} `}::text || wanted.id as key,
        coalesce(one.${sql.identifier(called)}, former_name(${of}, wanted.id, ${called})) as name,
        one.id is not null as exists
      from unnest(${sql.param(ids)}::text[]::integer[]) wanted (id)
        left join ${sql.identifier(of)} one on one.id = wanted.id
      where ${seesAll(caller) ? sql`true` : sql`not ${history?.hides?.(sql`wanted.id`, caller) ?? sql`false`}`}`;
  });
  const rows = await read<{ key: string; name: string | null; exists: boolean }>(
    sql.join(each, sql` union all `),
  );
  return new Map(
    rows.flatMap(({ key, name, exists }) =>
      name === null ? [] : [[key, { name, exists }] as const],
    ),
  );
}
