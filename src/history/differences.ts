// What a change changed, field by field, with names where the rows hold keys.
import { sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth/auth.ts";
import { resourceOf } from "../resources.ts";
import type { Read } from "../store/read.ts";
import type { Difference } from "../store/resource.ts";

/** A row as it was, by its columns. */
export type State = Record<string, unknown>;

export interface Changed {
  table_name: string;
  before: State | null;
  after: State | null;
}

interface Column {
  field: string;
  column: string;
  /** The table that the column's keys belong to. */
  of?: string | undefined;
}

/** Who is in a group, and which groups are in it: rows without a description of their own. */
const LINKS: Record<string, Column[]> = {
  group_hosts: [{ field: "host", column: "host_id", of: "hosts" }],
  group_children: [{ field: "child", column: "child_id", of: "groups" }],
};

/** Of each change, in one query for all of their names. */
export async function differences(
  read: Read,
  caller: Caller,
  changes: Changed[],
): Promise<Difference[][]> {
  const names = await namesIn(read, caller, changes);
  return changes.map((change) =>
    columnsOf(change.table_name)
      .map((one) => ({
        field: one.field,
        old: shown(change.before, one, names),
        now: shown(change.after, one, names),
      }))
      .filter(({ old, now }) => old !== now),
  );
}

function columnsOf(table: string): Column[] {
  const { fields = {}, history } = resourceOf(table) ?? {};
  const described = Object.entries(fields).flatMap(([field, { column, refersTo }]) =>
    column && !STAMPS.includes(field) && !history?.without?.includes(field)
      ? [{ field, column: column(field), of: refersTo?.table }]
      : [],
  );
  return LINKS[table] ?? described;
}

/** Each change says these of itself. */
const STAMPS = ["created_at", "updated_at"];

type Names = Map<string, string>;

function shown(state: State | null, { column, of }: Column, names: Names): string | null {
  const value = state?.[column];
  if (value == null || isHidden(state, column, names)) return null;
  if (of) return names.get(`${of} ${value}`) ?? (mayHide(of) ? null : String(value));
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A table that nobody describes may hide anything. */
function mayHide(table: string): boolean {
  const resource = resourceOf(table);
  return resource === undefined || resource.history?.hides !== undefined;
}

/** A host without a name is one that the caller may not know of, and so is the place in its stack. */
function isHidden(state: State | null, column: string, names: Names): boolean {
  if (column !== "host_id" && column !== "stack_member") return false;
  return state?.host_id != null && !names.has(`hosts ${state.host_id}`);
}

async function namesIn(read: Read, caller: Caller, changes: Changed[]): Promise<Names> {
  const wanted = changes.flatMap((change) =>
    columnsOf(change.table_name).flatMap(({ column, of }) =>
      [change.before, change.after].flatMap((state) =>
        of && state?.[column] != null ? [{ of, id: state[column] }] : [],
      ),
    ),
  );
  if (wanted.length === 0) return new Map();
  const described = [...new Set(wanted.map(({ of }) => of))].filter((of) => resourceOf(of));
  if (described.length === 0) return new Map();
  const each = described.map((of) => {
    const ids = [...new Set(wanted.filter((one) => one.of === of).map(({ id }) => String(id)))];
    const { key: called = "name", history } = resourceOf(of) ?? {};
    return sql`
      select ${`${of} `}::text || wanted.id as key,
        coalesce(one.${sql.identifier(called)}, former_name(${of}, wanted.id, ${called})) as name
      from unnest(${sql.param(ids)}::text[]::integer[]) wanted (id)
        left join ${sql.identifier(of)} one on one.id = wanted.id
      where ${seesAll(caller) ? sql`true` : sql`not ${history?.hides?.(sql`wanted.id`) ?? sql`false`}`}`;
  });
  const rows = await read<{ key: string; name: string | null }>(sql.join(each, sql` union all `));
  return new Map(rows.flatMap(({ key, name }) => (name === null ? [] : [[key, name] as const])));
}
