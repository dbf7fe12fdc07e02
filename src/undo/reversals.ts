// What has to happen for a change set to be undone: the net of what it did to each row, turned round.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth/auth.ts";
import type { State } from "../history/differences.ts";
import { type Row, rowsOf } from "../history/history.ts";
import { integers } from "../input/keys.ts";
import type { Read } from "../store/read.ts";
import { PLACE_ON_HOST, type Table } from "./tables.ts";

export interface Reversal {
  table: Table;
  id: number;
  name: string;
  /** As it was before the set: null where the set made it, which makes undoing it a deletion. */
  was: State | null;
  /** As the set left it: null where the set deleted it, which makes undoing it a return. */
  left: State | null;
  /** What the set changed of it. */
  columns: string[];
}

const STAMPS = ["id", "version", "created_at", "updated_at", "created_by", "updated_by", "unseen"];

/** What a caller does not know of, he does not undo. */
export async function reversalsOf(read: Read, caller: Caller, set: number): Promise<Reversal[]> {
  const rows = await rowsOf(read, caller, set);
  const known = await knownHosts(read, caller, rows);
  const reversals = netOf(rows)
    .map((one) => withoutHiddenHost(one, known))
    .map((one) => ({ ...one, columns: changedIn(one, known) }));
  return reversals.filter(({ was, left, columns }) => (was || left) && columns.length > 0);
}

export function isSame(one: unknown, other: unknown): boolean {
  return typeof one === "object" ? Bun.deepEquals(one, other) : one === other;
}

export function idsOf(rows: Array<{ id: number }>): SQL {
  return keys(rows.map(({ id }) => id));
}

export function keys(ids: unknown[]): SQL {
  return integers(ids.map(Number));
}

/** One for each row, however often the set changed it. */
function netOf(rows: Row[]): Reversal[] {
  const net = new Map<string, Reversal>();
  for (const row of rows) {
    const { table_name: table, row_id: id, before, after: left } = row;
    const key = `${table} ${id}`;
    const was = net.has(key) ? (net.get(key)?.was ?? null) : before;
    net.set(key, { table, id, name: nameOf(row), was, left, columns: [] });
  }
  return [...net.values()];
}

/** What has no name of its own is called by what it belongs to. */
const CALLED: Partial<Record<string, string>> = {
  comments: "A comment on ",
  group_hosts: "A host of ",
  group_children: "A child of ",
};

function nameOf({ table_name, name, row_id }: Row): string {
  return `${CALLED[table_name] ?? ""}${name ?? row_id}`;
}

function changedIn({ was, left }: Reversal, known: Set<unknown>): string[] {
  const columns = Object.keys({ ...was, ...left }).filter((column) => !STAMPS.includes(column));
  if (!was || !left) return columns;
  const isKnown = [was.host_id, left.host_id].every((host) => host == null || known.has(host));
  return columns
    .filter((column) => isKnown || !PLACE_ON_HOST.includes(column))
    .filter((column) => !isSame(was[column], left[column]));
}

/** An item that returns stays off a host that the caller does not know of. */
function withoutHiddenHost(one: Reversal, known: Set<unknown>): Reversal {
  const { table, was, left } = one;
  if (table !== "items" || !was || left || was.host_id == null || known.has(was.host_id))
    return one;
  return { ...one, was: { ...was, host_id: null, stack_member: null } };
}

/**
 * What returns with a group that was deleted although the caller is not told of it: the hidden hosts that were in it, as far
 * as they are still there.
 */
export async function hiddenMembers(
  read: Read,
  caller: Caller,
  { set, reversals }: { set: number; reversals: Reversal[] },
): Promise<Reversal[]> {
  const groups = reversals.filter(({ table, left }) => table === "groups" && !left);
  if (groups.length === 0 || seesAll(caller)) return [];
  const rows = await read<{ id: number; was: State }>(sql`
    select row_id as id, before as was from changes
    where change_set = ${set} and table_name = 'group_hosts' and action = 'delete'
      and (before ->> 'group_id')::integer = any(${idsOf(groups)})
      and is_sensitive_host((before ->> 'host_id')::integer)`);
  const columns = ["group_id", "host_id"];
  return rows.map((row) => ({ ...row, table: "group_hosts", name: "", left: null, columns }));
}

async function knownHosts(read: Read, caller: Caller, rows: Row[]): Promise<Set<unknown>> {
  const states = rows.flatMap(({ before, after }) => [before, after]);
  const hosts = [...new Set(states.map((state) => state?.host_id).filter((host) => host != null))];
  if (hosts.length === 0 || seesAll(caller)) return new Set(hosts);
  const seen = await read<{ id: number }>(sql`
    select id from unnest(${keys(hosts)}) id where not is_hidden_host(id)`);
  return new Set(seen.map(({ id }) => id));
}
