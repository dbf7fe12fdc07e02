import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";

/**
 * Serialises callers with the same key until the end of the transaction: for rules that no row lock and no constraint
 * covers. Taken before any row is locked, so that transactions do not deadlock; several keys in their order.
 */
export async function advisoryLock(tx: Transaction, ...keys: string[]): Promise<void> {
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${sql.param(keys)}::text[]) key`);
}
