// The reversals of a change set: for each row the net change, to be applied backwards.

import { type SQL, sql } from "drizzle-orm";
import { STAMP_COLUMNS } from "../../db/tables/columns.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import { mayKnowHost, mayKnowPastHost } from "../auth/visibility.ts";
import type { RowState } from "../history/differences.ts";
import { type ChangedRow, changedRowsOf } from "../history/history.ts";
import { integers } from "../input/keys.ts";
import type { Read } from "../store/read.ts";
import { ITEM_HOST_COLUMNS, type RestoredTable } from "./tables.ts";

export interface Reversal {
  table: RestoredTable;
  id: number;
  name: string;
  /** The row before the change set; null if the set created it, so that undo deletes it. */
  before: RowState | null;
  /** The row after the change set; null if the set deleted it, so that undo inserts it. */
  after: RowState | null;
  /** The changed columns. */
  columns: string[];
}

/** Only changes that are visible to the caller. */
export async function reversalsOf(read: Read, caller: Caller, set: number): Promise<Reversal[]> {
  const rows = await changedRowsOf(read, caller, set);
  return reversalsIn(rows, await visibleHostIds(read, caller, rows));
}

/** The reversals of one set by its rows, with the hosts in them that the caller sees. */
export function reversalsIn(rows: ChangedRow[], visibleHosts: Set<unknown>): Reversal[] {
  const reversals = netChanges(rows)
    .map((one) => withoutHiddenHost(one, visibleHosts))
    .map((one) => ({ ...one, columns: changedIn(one, visibleHosts) }));
  return reversals.filter(({ before, after, columns }) => (before || after) && columns.length > 0);
}

export function isSame(one: unknown, other: unknown): boolean {
  return typeof one === "object" ? Bun.deepEquals(one, other) : one === other;
}

export function rowIds(rows: Array<{ id: number }>): SQL {
  return integerKeys(rows.map(({ id }) => id));
}

export function integerKeys(ids: unknown[]): SQL {
  return integers(ids.map(Number));
}

/** One reversal a row, however often the set changed it. */
function netChanges(rows: ChangedRow[]): Reversal[] {
  const net = new Map<string, Reversal>();
  for (const row of rows) {
    const { table_name: table, row_id: id, after } = row;
    const key = `${table} ${id}`;
    const earlier = net.get(key);
    const before = earlier ? earlier.before : row.before;
    net.set(key, { table, id, name: nameOf(row), before, after, columns: [] });
  }
  return [...net.values()];
}

/** Rows without a name are named by the record that they belong to. */
const NAME_PREFIXES: Partial<Record<string, string>> = {
  comments: "A comment on ",
  group_hosts: "A host of ",
  group_children: "A child of ",
};

function nameOf({ table_name, name, row_id }: ChangedRow): string {
  return `${NAME_PREFIXES[table_name] ?? ""}${name ?? row_id}`;
}

function changedIn({ before, after }: Reversal, known: Set<unknown>): string[] {
  const columns = Object.keys({ ...before, ...after }).filter(
    (column) => column !== "id" && !STAMP_COLUMNS.includes(column),
  );
  if (!before || !after) return columns;
  const isKnown = [before.host_id, after.host_id].every((host) => host == null || known.has(host));
  return columns
    .filter((column) => isKnown || !ITEM_HOST_COLUMNS.includes(column))
    .filter((column) => !isSame(before[column], after[column]));
}

/** A restored item is not put on a host that is hidden from the caller. */
function withoutHiddenHost(one: Reversal, known: Set<unknown>): Reversal {
  const { table, before, after } = one;
  if (table !== "items" || !before || after || before.host_id == null || known.has(before.host_id))
    return one;
  return { ...one, before: { ...before, host_id: null, stack_member: null } };
}

/**
 * The hidden members of deleted groups. They are restored with the group although they are hidden from the caller, if
 * they still exist.
 */
export async function hiddenMembers(
  read: Read,
  caller: Caller,
  { set, reversals }: { set: number; reversals: Reversal[] },
): Promise<Reversal[]> {
  const groups = reversals.filter(({ table, after }) => table === "groups" && !after);
  if (groups.length === 0 || seesAll(caller)) return [];
  const rows = await read<{ id: number; before: RowState }>(sql`
    select row_id as id, before from changes
    where change_set = ${set} and table_name = 'group_hosts' and action = 'delete'
      and (before ->> 'group_id')::integer = any(${rowIds(groups)})
      and not ${mayKnowHost(caller, sql`(before ->> 'host_id')::integer`)}`);
  const columns = ["group_id", "host_id"];
  return rows.map((row) => ({ ...row, table: "group_hosts", name: "", after: null, columns }));
}

export async function visibleHostIds(
  read: Read,
  caller: Caller,
  rows: ChangedRow[],
): Promise<Set<unknown>> {
  const states = rows.flatMap(({ before, after }) => [before, after]);
  const hosts = [...new Set(states.map((state) => state?.host_id).filter((host) => host != null))];
  if (hosts.length === 0 || seesAll(caller)) return new Set(hosts);
  const seen = await read<{ id: number }>(sql`
    select id from unnest(${integerKeys(hosts)}) id where ${mayKnowPastHost(caller, sql`id`)}`);
  return new Set(seen.map(({ id }) => id));
}
