// Deletes expired rows once an hour, in one of the instances.
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { keepDoing, type Loop } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import { trigger_runs } from "../../db/tables/events.ts";
import { imports } from "../../db/tables/inventory.ts";
import { jobs } from "../../db/tables/jobs.ts";
import { feeds } from "../../db/tables/network.ts";
import { mails } from "../../db/tables/notices.ts";
import {
  idempotency_keys,
  login_failures,
  sessions,
  tokens,
  used_challenges,
} from "../../db/tables/user.ts";
import type { Config } from "../config.ts";

const HOUR = 60 * 60 * 1_000;

const { build } = database;

const STATEMENTS = [
  build.delete(idempotency_keys).where(isOlder(idempotency_keys.created_at, "24 hours")),
  build
    .delete(sessions)
    .where(or(isOlder(sessions.expires_at, "0"), isOlder(sessions.last_seen_at, "2 hours"))),
  build.delete(used_challenges).where(isOlder(used_challenges.used_at, "1 hour")),
  build.delete(login_failures).where(isOlder(login_failures.at, "15 minutes")),
  sql`
    delete from login_addresses one
    where at < now() - interval '180 days' or 10 <= (
      select count(*) from login_addresses newer where newer.user_id = one.user_id and newer.at > one.at)`,
  build.delete(tokens).where(and(eq(tokens.kind, "login"), isOlder(tokens.expires_at, "1 day"))),
  build.delete(feeds).where(isOlder(feeds.asked_at, "90 days")),
  build.delete(jobs).where(isOlder(jobs.finished_at, "1 day")),
  build.delete(mails).where(isOlder(mails.finished_at, "30 days")),
  build.delete(trigger_runs).where(isOlder(trigger_runs.finished_at, "90 days")),
  build.delete(imports).where(isOlder(imports.created_at, "7 days")),
  // Bytes that no file has had for a month: undo could bring one back until then.
  sql`
    delete from file_blobs where unused_since < now() - interval '30 days'
      and not exists (select from files where file_blobs.sha256 in (files.sha256, files.small))`,
  // Of subscriptions that are switched off or paused. The others send what waits, however old it is.
  sql`
    delete from deliveries using subscriptions join users on users.id = owner_id
    where subscriptions.id = subscription_id and status = 'waiting'
      and deliveries.created_at < now() - interval '4 days'
      and (not is_active or deactivated_at is not null)`,
  // Of subscriptions that were deleted while the change was written.
  sql`
    delete from deliveries where not exists (
      select from subscriptions where subscriptions.id = deliveries.subscription_id)`,
];

function isOlder(time: PgColumn, age: string): SQL {
  return sql`${time} < now() - ${age}::interval`;
}

/** Retention times that the operator can set. */
type Keeping = Pick<Config, "auditDays">;

export function start(keeping: Keeping): Loop {
  const cleaning = keepDoing("Housekeeping failed", () => deleteExpired(keeping), { every: HOUR });
  cleaning.wake();
  return cleaning;
}

export async function deleteExpired({ auditDays }: Keeping): Promise<void> {
  await database.transaction(async (tx) => {
    const [turn] = await tx.execute<{ ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('housekeeping', 0)) as ours`,
    );
    if (!turn?.ours) return;
    for (const statement of STATEMENTS) await tx.execute(statement);
    await tx.execute(sql`
      with oldest as (select now() - make_interval(days => ${auditDays}) as at)
      delete from audit_log using oldest
      where audit_log.at < oldest.at and coalesce(last_at, audit_log.at) < oldest.at`);
  });
}
