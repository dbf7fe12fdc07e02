// Refuses to undo a change set that later changes contradict.
import { sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import { FROM, visibleChange } from "../history/change_sql.ts";
import type { RowState } from "../history/differences.ts";
import { invalid, unavailableValue } from "../input/errors.ts";
import type { Transaction } from "../store/write.ts";
import { isSame, type Reversal, rowIds } from "./reversals.ts";
import { DEPENDENTS, ITEM_HOST_COLUMNS, type RestoredTable } from "./tables.ts";

/** Locks every row and requires that it is as the change set left it. */
export async function refuseConflicts(
  tx: Transaction,
  caller: Caller,
  reversals: Reversal[],
): Promise<void> {
  const tables = [...new Set(reversals.map(({ table }) => table))].toSorted();
  for (const table of tables) {
    const expected = reversals.filter((one) => one.table === table && one.after);
    const found = await lockRows(tx, table, expected);
    for (const one of expected) await refuseChanged(tx, caller, { ...one, now: found.get(one.id) });
  }
  for (const table of tables) await refuseLaterParts(tx, caller, { table, reversals });
}

/** After rows are restored: what was put into an item since its move would have another location than the item. */
export async function refuseLeftBehind(tx: Transaction, reversals: Reversal[]): Promise<void> {
  for (const column of ["location_id", "status_id"]) {
    await refuseLeftBehindIn(tx, reversals, column);
  }
}

async function refuseLeftBehindIn(
  tx: Transaction,
  reversals: Reversal[],
  column: string,
): Promise<void> {
  const back = reversals.filter(({ table, before }) => table === "items" && before);
  const moved = back.filter(({ columns }) => columns.includes(column));
  if (moved.length === 0) return;
  const name = sql.identifier(column);
  const [found] = await tx.execute<{ ics_id: string; parent: string }>(sql`
    select items.ics_id, parent.ics_id as parent from items join items parent on parent.id = items.parent_id
    where parent.id = any(${rowIds(moved)}) and items.id <> all(${rowIds(back)})
      and items.${name} is distinct from parent.${name} limit 1`);
  if (found) throw invalid("id", `${found.ics_id} has been moved into ${found.parent} since`);
}

async function refuseChanged(
  tx: Transaction,
  caller: Caller,
  one: Reversal & { now: RowState | undefined },
): Promise<void> {
  const { table, name, after, columns, now } = one;
  if (!now) throw invalid("id", `${name} has been deleted since${await byWhom(tx, caller, one)}`);
  const changed = columns.filter((column) => !isSame(now[column], after?.[column]));
  if (changed.length === 0) return;
  const message = `${name} has been changed since`;
  // The item may be mounted on a hidden host now.
  const isPlace =
    table === "items" && changed.every((column) => ITEM_HOST_COLUMNS.includes(column));
  if (isPlace) throw unavailableValue("id", message, { value: name });
  throw invalid("id", message + (await byWhom(tx, caller, { ...one, columns: changed })));
}

/** Who deleted the row or changed one of these columns last, and when, as far as the caller sees it. */
async function byWhom(
  tx: Transaction,
  caller: Caller,
  { table, id, columns }: Reversal,
): Promise<string> {
  const [last] = await tx.execute<{ user: string; at: string }>(sql`
    select coalesce(users.username, 'the system') as user, shown(changes.at) as at ${FROM}
    where table_name = ${table} and row_id = ${id} and ${visibleChange(caller)} and (after is null or exists (
      select from unnest(${sql.param(columns)}::text[]) name where before -> name is distinct from after -> name))
    order by changes.id desc limit 1`);
  return last ? `, by ${last.user} on ${last.at} UTC: undo that first` : "";
}

async function lockRows(
  tx: Transaction,
  table: RestoredTable,
  rows: Reversal[],
): Promise<Map<number, RowState>> {
  const found = await tx.execute<{ id: number; state: RowState }>(sql`
    select id, to_jsonb(one) as state from ${sql.identifier(table)} one
    where id = any(${rowIds(rows)}) order by id for update`);
  return new Map(found.map(({ id, state }) => [id, state]));
}

interface CreatedRows {
  table: RestoredTable;
  reversals: Reversal[];
}

/** Deleting a created row would delete rows that were added to it later. Hidden members of a group do not count. */
async function refuseLaterParts(
  tx: Transaction,
  caller: Caller,
  { table, reversals }: CreatedRows,
): Promise<void> {
  const created = reversals.filter((one) => one.table === table && !one.before);
  if (created.length === 0) return;
  for (const part of DEPENDENTS[table] ?? []) {
    const own = reversals.filter(
      (one) => one.table === part.table && one.columns.includes(part.key),
    );
    const key = sql`one.${sql.identifier(part.key)}`;
    const isKnown =
      part.table === "group_hosts" ? mayKnowHost(caller, sql`one.host_id`) : sql`true`;
    const [later] = await tx.execute<{ id: number }>(sql`
      select ${key} as id from ${sql.identifier(part.table)} one
      where ${key} = any(${rowIds(created)}) and one.id <> all(${rowIds(own)}) and ${isKnown} limit 1`);
    const parent = created.find(({ id }) => id === later?.id);
    if (parent) throw invalid("id", `${parent.name} has gained ${part.noun} since`);
  }
}
