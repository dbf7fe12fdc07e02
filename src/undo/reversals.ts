// What has to happen for a change set to be undone: the net of what it did to each row, turned round.
import { sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth.ts";
import type { State } from "../differences.ts";
import { invalid } from "../errors.ts";
import { type ChangeSet, TABLES } from "../history.ts";
import { inside } from "../read.ts";
import type { Transaction } from "../write.ts";

export type Table = "manufacturers" | "models" | "locations" | "statuses" | "items" | Part;
/** What belongs to an item. */
export type Part = "comments" | "macs";

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

interface Row {
  table_name: Table;
  row_id: number;
  before: State | null;
  after: State | null;
}

const STAMPS = ["id", "version", "created_at", "updated_at", "created_by", "updated_by"];
/** What a caller does not know of, he does not undo. */
const OF_HOSTS = ["host_id", "stack_member"];

export async function reversalsOf(
  tx: Transaction,
  caller: Caller,
  set: ChangeSet,
): Promise<Reversal[]> {
  const rows = await inside(tx)<Row>(
    sql`select table_name, row_id, before, after from changes where change_set = ${set.id} order by id`,
  );
  if (rows.some(({ table_name }) => !TABLES.includes(table_name))) {
    throw invalid("id", "Only changes of the inventory can be undone");
  }
  const known = await knownHosts(tx, caller, rows);
  const reversals = netOf(rows).map((one) => ({ ...one, columns: changedIn(one, known) }));
  return reversals.filter(({ was, left, columns }) => (was || left) && columns.length > 0);
}

/** One for each row, however often the set changed it. */
function netOf(rows: Row[]): Reversal[] {
  const net = new Map<string, Reversal>();
  for (const { table_name: table, row_id: id, before, after } of rows) {
    const key = `${table} ${id}`;
    const { name, ics_id, address = "A comment" } = after ?? before ?? {};
    const was = net.has(key) ? (net.get(key)?.was ?? null) : before;
    net.set(key, {
      table,
      id,
      name: String(name ?? ics_id ?? address),
      was,
      left: after,
      columns: [],
    });
  }
  return [...net.values()];
}

function changedIn({ was, left }: Reversal, known: Set<unknown>): string[] {
  const columns = Object.keys({ ...was, ...left }).filter((column) => !STAMPS.includes(column));
  if (!was || !left) return columns;
  const isKnown = [was.host_id, left.host_id].every((host) => host == null || known.has(host));
  return columns
    .filter((column) => isKnown || !OF_HOSTS.includes(column))
    .filter((column) => was[column] !== left[column]);
}

async function knownHosts(tx: Transaction, caller: Caller, rows: Row[]): Promise<Set<unknown>> {
  const states = rows.flatMap(({ before, after }) => [before, after]);
  const hosts = [...new Set(states.map((state) => state?.host_id).filter((host) => host != null))];
  if (hosts.length === 0 || seesAll(caller)) return new Set(hosts);
  const seen = await tx.execute<{ id: number }>(sql`
    select id from hosts
    where id = any(${sql.param(hosts.map(String))}::text[]::integer[]) and not is_sensitive_host(id)`);
  return new Set(seen.map(({ id }) => id));
}
