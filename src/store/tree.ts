// Tables whose records may be inside of each other: the column parent_id is the key of the record around.
import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Transaction } from "../../db/client.ts";

/** Whether a record is the other one or inside of it. The caller holds the lock of the tree. */
export async function isInside(
  tx: Transaction,
  table: PgTable,
  { id, of }: { id: number; of: number },
): Promise<boolean> {
  const found = await tx.execute(sql`
    with recursive above as (
      select id, parent_id from ${table} where id = ${id}
      union select one.id, one.parent_id from ${table} one join above on one.id = above.parent_id
    ) select 1 from above where id = ${of}`);
  return found.length > 0;
}

/** The ids that a statement selects, and those of everything inside of them. */
export function allInside(table: SQL, ids: SQL): SQL {
  return sql`
    with recursive inside as (
      ${ids} union select one.id from ${table} one join inside on one.parent_id = inside.id
    ) select id from inside`;
}
