// Deletes expired rows once an hour, in one of the instances.
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { audit_log } from "../../db/tables/audit.ts";
import { imports } from "../../db/tables/inventory.ts";
import { jobs } from "../../db/tables/jobs.ts";
import { feeds } from "../../db/tables/network.ts";
import { idempotency_keys, login_failures, sessions, tokens } from "../../db/tables/user.ts";
import * as log from "../monitoring/log.ts";

const HOUR = 60 * 60 * 1_000;

const { build } = database;

const STATEMENTS = [
  build.delete(idempotency_keys).where(isOlder(idempotency_keys.created_at, "24 hours")),
  build
    .delete(sessions)
    .where(or(isOlder(sessions.expires_at, "0"), isOlder(sessions.last_seen_at, "2 hours"))),
  build.delete(login_failures).where(isOlder(login_failures.at, "15 minutes")),
  sql`
    delete from login_addresses one
    where at < now() - interval '180 days' or 10 <= (
      select count(*) from login_addresses newer where newer.user_id = one.user_id and newer.at > one.at)`,
  build.delete(audit_log).where(isOlder(audit_log.at, "365 days")),
  build.delete(tokens).where(and(eq(tokens.kind, "login"), isOlder(tokens.expires_at, "1 day"))),
  build.delete(feeds).where(isOlder(feeds.asked_at, "90 days")),
  build.delete(jobs).where(isOlder(jobs.finished_at, "1 day")),
  build.delete(imports).where(isOlder(imports.created_at, "7 days")),
];

function isOlder(time: PgColumn, age: string): SQL {
  return sql`${time} < now() - ${age}::interval`;
}

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
