// What a change changed, field by field, with names where the rows hold keys.
import { sql } from "drizzle-orm";
import { type Caller, seesAll } from "./auth.ts";
import type { Read } from "./read.ts";

/** A row as it was, by its columns. */
export type State = Record<string, unknown>;

export interface Changed {
  table_name: string;
  before: State | null;
  after: State | null;
}

export interface Difference {
  field: string;
  old: string | null;
  now: string | null;
}

interface Column {
  column: string;
  /** The table that the column's keys belong to. */
  of?: string;
}

/** In the order in which they are told; the other columns are stamps. */
const TOLD: Column[] = [
  { column: "name" },
  { column: "description" },
  { column: "ics_id" },
  { column: "serial_number" },
  { column: "quantity" },
  { column: "manufacturer_id", of: "manufacturers" },
  { column: "model_id", of: "models" },
  { column: "location_id", of: "locations" },
  { column: "status_id", of: "statuses" },
  { column: "parent_id", of: "items" },
  { column: "host_id", of: "hosts" },
  { column: "stack_member" },
  { column: "address" },
  { column: "item_id", of: "items" },
  { column: "body" },
];

/** Of each change, in one query for all of their names. */
export async function differences(
  read: Read,
  caller: Caller,
  changes: Changed[],
): Promise<Difference[][]> {
  const names = await namesIn(read, caller, changes);
  return changes.map(({ table_name, before, after }) => {
    // A comment is told of by the name of its item already.
    const told = TOLD.filter(({ column }) => table_name !== "comments" || column !== "item_id");
    return told
      .map((one) => ({
        field: one.column.replace(/^(?!ics)(\w+)_id$/, "$1"),
        old: shown(before, one, names),
        now: shown(after, one, names),
      }))
      .filter(({ old, now }) => old !== now);
  });
}

type Names = Map<string, string>;

function shown(state: State | null, { column, of }: Column, names: Names): string | null {
  const value = state?.[column];
  if (value == null || isHidden(state, column, names)) return null;
  return of ? (names.get(`${of} ${value}`) ?? String(value)) : String(value);
}

/** A host without a name is one that the caller may not know of, and so is the place in its stack. */
function isHidden(state: State | null, column: string, names: Names): boolean {
  if (column !== "host_id" && column !== "stack_member") return false;
  return state?.host_id != null && !names.has(`hosts ${state.host_id}`);
}

async function namesIn(read: Read, caller: Caller, changes: Changed[]): Promise<Names> {
  const states = changes.flatMap(({ before, after }) => [before, after]);
  const wanted = TOLD.flatMap(({ column, of }) =>
    states.flatMap((state) => (of && state?.[column] != null ? [{ of, id: state[column] }] : [])),
  );
  if (wanted.length === 0) return new Map();
  const each = [...new Set(wanted.map(({ of }) => of))].map((of) => {
    const ids = [...new Set(wanted.filter((one) => one.of === of).map(({ id }) => String(id)))];
    const called = of === "items" ? "ics_id" : "name";
    return sql`
      select ${`${of} `}::text || wanted.id as key,
        coalesce(one.${sql.identifier(called)}, former_name(${of}, wanted.id, ${called})) as name
      from unnest(${sql.param(ids)}::text[]::integer[]) wanted (id)
        left join ${sql.identifier(of)} one on one.id = wanted.id
      where ${of === "hosts" ? mayName(caller) : sql`true`}`;
  });
  const rows = await read<{ key: string; name: string | null }>(sql.join(each, sql` union all `));
  return new Map(rows.flatMap(({ key, name }) => (name === null ? [] : [[key, name] as const])));
}

/** Of a host that has gone nobody can tell any more whether it was hidden: it stays so. */
function mayName(caller: Caller) {
  return seesAll(caller) ? sql`true` : sql`one.id is not null and not is_sensitive_host(one.id)`;
}
