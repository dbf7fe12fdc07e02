// What a change changed, field by field, with names where the rows hold keys.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth/auth.ts";
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
  /** The one table whose column is meant, where others have one of the same name. */
  in?: string;
}

/** In the order in which they are told; the other columns are stamps. */
const TOLD: Column[] = [
  { column: "name" },
  { column: "vlan_name" },
  { column: "vlan_id" },
  { column: "description" },
  { column: "ics_id" },
  { column: "serial_number" },
  { column: "quantity" },
  { column: "manufacturer_id", of: "manufacturers" },
  { column: "model_id", of: "models" },
  { column: "location_id", of: "locations" },
  { column: "status_id", of: "statuses" },
  { column: "parent_id", of: "items", in: "items" },
  { column: "child_id", of: "groups" },
  { column: "device_type_id", of: "device_types" },
  { column: "is_ioc" },
  { column: "host_id", of: "hosts" },
  { column: "stack_member" },
  { column: "scope_id", of: "scopes" },
  { column: "domain_id", of: "domains" },
  { column: "network_id", of: "networks" },
  { column: "interface_id", of: "interfaces" },
  { column: "address" },
  { column: "first_vlan" },
  { column: "last_vlan" },
  { column: "supernet" },
  { column: "first_ip" },
  { column: "last_ip" },
  { column: "gateway" },
  { column: "ip" },
  { column: "mac" },
  { column: "admin_only" },
  { column: "sensitive" },
  { column: "type" },
  { column: "query" },
  { column: "vars" },
  { column: "automation_vars" },
  // A comment is told of by the name of its item already.
  { column: "item_id", of: "items", in: "macs" },
  { column: "body" },
];

/** Of each change, in one query for all of their names. */
export async function differences(
  read: Read,
  caller: Caller,
  changes: Changed[],
): Promise<Difference[][]> {
  const names = await namesIn(read, caller, changes);
  return changes.map((change) =>
    toldOf(change)
      .map((one) => ({
        field: one.column.replace(/^(?!ics|vlan)(\w+)_id$/, "$1"),
        old: shown(change.before, one, names),
        now: shown(change.after, one, names),
      }))
      .filter(({ old, now }) => old !== now),
  );
}

function toldOf({ table_name }: Changed): Column[] {
  return TOLD.filter((one) => one.in === undefined || one.in === table_name);
}

type Names = Map<string, string>;

function shown(state: State | null, { column, of }: Column, names: Names): string | null {
  const value = state?.[column];
  if (value == null || isHidden(state, column, names)) return null;
  if (of) return names.get(`${of} ${value}`) ?? (HIDING[of] ? null : String(value));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A host without a name is one that the caller may not know of, and so is the place in its stack. */
function isHidden(state: State | null, column: string, names: Names): boolean {
  if (column !== "host_id" && column !== "stack_member") return false;
  return state?.host_id != null && !names.has(`hosts ${state.host_id}`);
}

async function namesIn(read: Read, caller: Caller, changes: Changed[]): Promise<Names> {
  const wanted = changes.flatMap((change) =>
    toldOf(change).flatMap(({ column, of }) =>
      [change.before, change.after].flatMap((state) =>
        of && state?.[column] != null ? [{ of, id: state[column] }] : [],
      ),
    ),
  );
  if (wanted.length === 0) return new Map();
  const each = [...new Set(wanted.map(({ of }) => of))].map((of) => {
    const ids = [...new Set(wanted.filter((one) => one.of === of).map(({ id }) => String(id)))];
    const called = CALLED[of] ?? "name";
    return sql`
      select ${`${of} `}::text || wanted.id as key,
        coalesce(one.${sql.identifier(called)}, former_name(${of}, wanted.id, ${called})) as name
      from unnest(${sql.param(ids)}::text[]::integer[]) wanted (id)
        left join ${sql.identifier(of)} one on one.id = wanted.id
      where ${seesAll(caller) ? sql`true` : sql`not ${HIDING[of] ?? sql`false`}`}`;
  });
  const rows = await read<{ key: string; name: string | null }>(sql.join(each, sql` union all `));
  return new Map(rows.flatMap(({ key, name }) => (name === null ? [] : [[key, name] as const])));
}

const CALLED: Record<string, string> = { items: "ics_id", networks: "vlan_name" };

/** What hides the names of some, also of those that have gone. */
const HIDING: Record<string, SQL> = {
  hosts: sql`is_hidden_host(wanted.id)`,
  networks: sql`is_hidden_network(wanted.id)`,
  interfaces: sql`is_hidden_interface(wanted.id)`,
};
