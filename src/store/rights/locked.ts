// The rows that a write has locked to change them. Its caller needs the right for each, also if nothing changes.
import { sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { integers } from "../../input/keys.ts";
import type { Read } from "../read.ts";
import type { Change, RecordState } from "./facts.ts";

interface NotedRow {
  table: string;
  id: number;
}

const locked = new WeakMap<Transaction, NotedRow[]>();

export function noteLocked(tx: Transaction, row: NotedRow): void {
  const rows = locked.get(tx) ?? [];
  rows.push(row);
  locked.set(tx, rows);
}

/** The rows that this transaction has changed, and those that it has locked and left as they were. */
export async function changesIn(tx: Transaction): Promise<Change[]> {
  const read = tx.execute;
  const changed = await read<Change>(sql`
    select table_name as table, row_id as id, before - 'automation_vars' as before, after - 'automation_vars' as after
    from changes where change_set = current_setting('app.change_set')::bigint order by id`);
  const known = new Set(changed.map(nameOf));
  const left = (locked.get(tx) ?? []).filter((row) => !known.has(nameOf(row)));
  const tables = [...Map.groupBy(left, ({ table }) => table)];
  const unchanged = await Promise.all(tables.map(([table, rows]) => statesIn(read, table, rows)));
  return [...changed, ...unchanged.flat()];
}

export async function statesIn(
  read: Read,
  table: string,
  rows: Array<Pick<NotedRow, "id">>,
): Promise<Change[]> {
  const found = await read<{ id: number; state: RecordState }>(sql`
    select id, to_jsonb(one) as state from ${sql.identifier(table)} one
    where id = any(${integers(rows.map(({ id }) => id))})`);
  return found.map(({ id, state }) => ({ table, id, before: state, after: state }));
}

function nameOf({ table, id }: NotedRow): string {
  return `${table} ${id}`;
}
