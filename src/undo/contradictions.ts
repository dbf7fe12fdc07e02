// What happened after a change set and keeps it from being undone.
import { type SQL, sql } from "drizzle-orm";
import type { State } from "../differences.ts";
import { invalid } from "../errors.ts";
import type { Transaction } from "../write.ts";
import type { Part, Reversal, Table } from "./reversals.ts";

/** Holds every row in place, as the set left it. */
export async function refuseContradictions(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const tables = [...new Set(reversals.map(({ table }) => table))].toSorted();
  for (const table of tables) {
    const expected = reversals.filter((one) => one.table === table && one.left);
    const found = await lockRows(tx, table, expected);
    for (const one of expected) refuseChanged(one, found.get(one.id));
  }
  const made = reversals.filter(({ table, was }) => table === "items" && !was);
  for (const table of ["comments", "macs"] as const) {
    await refuseParts(tx, table, { made, reversals });
  }
}

function refuseChanged({ name, left, columns }: Reversal, now: State | undefined): void {
  if (!now) throw invalid("id", `${name} has gone since`);
  if (columns.some((column) => now[column] !== left?.[column])) {
    throw invalid("id", `${name} has been changed since`);
  }
}

async function lockRows(
  tx: Transaction,
  table: Table,
  rows: Reversal[],
): Promise<Map<number, State>> {
  const found = await tx.execute<{ id: number; state: State }>(sql`
    select id, to_jsonb(one) as state from ${sql.identifier(table)} one
    where id = any(${keys(rows.map(({ id }) => id))}) order by id for update`);
  return new Map(found.map(({ id, state }) => [id, state]));
}

interface Made {
  made: Reversal[];
  reversals: Reversal[];
}

/** A deletion would take along what an item got later. */
async function refuseParts(tx: Transaction, table: Part, { made, reversals }: Made): Promise<void> {
  if (made.length === 0) return;
  const own = reversals.filter((one) => one.table === table).map(({ id }) => id);
  const [later] = await tx.execute<{ ics_id: string }>(sql`
    select items.ics_id from ${sql.identifier(table)} one join items on items.id = one.item_id
    where one.item_id = any(${keys(made.map(({ id }) => id))}) and one.id <> all(${keys(own)}) limit 1`);
  const what = table === "comments" ? "a comment" : "a MAC address";
  if (later) throw invalid("id", `${later.ics_id} has got ${what} since`);
}

export async function refuseCycles(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const moved = restored(reversals, "parent_id");
  if (moved.length === 0) return;
  const [inside] = await tx.execute<{ ics_id: string }>(sql`
    with recursive above as (
      select id, parent_id from items where id = any(${keys(moved)})
      union select above.id, items.parent_id from items join above on items.id = above.parent_id
    ) select ics_id from above join items using (id) where above.parent_id = above.id limit 1`);
  if (inside) throw invalid("id", `${inside.ics_id} holds by now what it would return into`);
}

/** What was put into an item after its move stays where it is: it would be torn out. */
export async function refuseLeftBehind(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const own = reversals.filter(({ table }) => table === "items").map(({ id }) => id);
  for (const column of ["location_id", "status_id"]) {
    const moved = restored(reversals, column);
    if (moved.length === 0) continue;
    const name = sql.identifier(column);
    const [left] = await tx.execute<{ ics_id: string; parent: string }>(sql`
      select items.ics_id, parent.ics_id as parent from items join items parent on parent.id = items.parent_id
      where parent.id = any(${keys(moved)}) and items.id <> all(${keys(own)})
        and items.${name} is distinct from parent.${name} limit 1`);
    if (left) throw invalid("id", `${left.ics_id} has been put into ${left.parent} since`);
  }
}

function restored(reversals: Reversal[], column: string): number[] {
  return reversals
    .filter(({ table, was, columns }) => table === "items" && was && columns.includes(column))
    .map(({ id }) => id);
}

function keys(ids: number[]): SQL {
  return sql`${sql.param(ids.map(String))}::text[]::integer[]`;
}
