// Writes of many rows, and what PostgreSQL believes of its tables. It counts their rows now and then, without those that are not
// committed: for a minute, a table that an import fills counts as empty, and each of its rows is joined with each.
import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";

/** So many rows are joined faster with whole tables, however many rows these have. */
export const MANY = 50;

/** Runs work whose statements join these rows with tables. */
export async function joinMany<T>(
  tx: Transaction,
  rows: readonly unknown[],
  work: () => Promise<T>,
): Promise<T> {
  if (rows.length < MANY) return work();
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_nestloop', 'off', true)`);
  const result = await work();
  await tx.execute(sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_nestloop', 'on', true)`);
  return result;
}

/** Counts the rows of tables in which this transaction has changed many, its own included. Until its end nobody else counts them. */
export async function analyzeChanged(tx: Transaction): Promise<void> {
  const changed = await tx.execute<{ name: string }>(sql`
    select table_name as name from changes where change_set = current_setting('app.change_set')::bigint
    group by table_name having count(*) >= ${MANY} order by table_name`);
  if (changed.length === 0) return;
  const tables = ["changes", ...changed.map(({ name }) => name)].map((name) =>
    sql.identifier(name),
  );
  // Another import may be counting them.
  await tx.execute(sql`analyze (skip_locked) ${sql.join(tables, sql`, `)}`);
}
