// Limits the log of messages in time and in size, in one of the instances at a time.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

/** The newest of each webhook. */
const DELIVERED_KEPT = 1_000;
const FAILED_KEPT = 10_000;

export async function cleanUp(): Promise<void> {
  await database.transaction(async (tx) => {
    const [turn] = await tx.execute<{ ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('webhook cleanup', 0)) as ours`,
    );
    if (!turn?.ours) return;
    await tx.execute(sql`
      delete from deliveries using subscriptions
      where subscriptions.id = subscription_id and kind = 'webhook' and (
        status = 'delivered' and finished_at < now() - interval '3 days'
        or status = 'failed' and finished_at < now() - interval '30 days')`);
    await tx.execute(sql`
      with oldest as materialized (
        select subscriptions.id as subscription, kept.of, (
          select id from deliveries where subscription_id = subscriptions.id and status = kept.of
          order by id desc offset kept.most - 1 limit 1) as id
        from subscriptions, (values ('delivered', ${DELIVERED_KEPT}::integer), ('failed', ${FAILED_KEPT}::integer)) kept (of, most)
        where kind = 'webhook'
      )
      delete from deliveries using oldest
      where subscription_id = oldest.subscription and status = oldest.of and deliveries.id < oldest.id`);
  });
}
