// Deletes expired rows once an hour, in one of the instances.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import * as log from "../monitoring/log.ts";

const HOUR = 60 * 60 * 1_000;

const STATEMENTS = [
  sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`,
  sql`delete from sessions where expires_at < now() or last_seen_at < now() - interval '2 hours'`,
  sql`delete from login_failures where at < now() - interval '15 minutes'`,
  sql`
    delete from login_addresses one
    where at < now() - interval '180 days' or 10 <= (
      select count(*) from login_addresses newer where newer.user_id = one.user_id and newer.at > one.at)`,
  sql`delete from audit_log where at < now() - interval '365 days'`,
  sql`delete from tokens where kind = 'login' and expires_at < now() - interval '1 day'`,
  sql`delete from feeds where asked_at < now() - interval '90 days'`,
  sql`delete from jobs where finished_at < now() - interval '1 day'`,
  sql`delete from imports where created_at < now() - interval '7 days'`,
];

export function start(): ReturnType<typeof setInterval> {
  deleteExpiredOrLog();
  return setInterval(deleteExpiredOrLog, HOUR);
}

export async function deleteExpired(): Promise<void> {
  await database.transaction(async (tx) => {
    const [turn] = await tx.execute<{ ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('housekeeping', 0)) as ours`,
    );
    if (!turn?.ours) return;
    for (const statement of STATEMENTS) await tx.execute(statement);
  });
}

/** An error is only logged: the next run deletes the rest. */
async function deleteExpiredOrLog(): Promise<void> {
  await deleteExpired().catch((error) => log.warn("Housekeeping failed", { error: String(error) }));
}
