// The messages that wait. A webhook with some of them is taken by one sender at a time: see store/outbox.ts.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { longs } from "../../input/keys.ts";
import * as outbox from "../../store/outbox.ts";
import { committedUpToId } from "../../store/paging.ts";
import { jsonb } from "../../store/write.ts";
import type { WebhookSettings } from "./webhook.ts";

export const WEBHOOKS: outbox.Outbox = {
  table: "subscriptions",
  isOpen: sql`kind = 'webhook'`,
  until: "lease_until",
  holder: "lease_by",
  lease: 10,
};
export const LET_GO = { lease_until: null, lease_by: null };

export interface WebhookToSend {
  id: number;
  name: string;
  owner_id: number;
  url: string;
  filters: Record<string, string[] | string>;
  settings: WebhookSettings;
  secrets: string | null;
  /** Of the change by an admin. */
  revision: number;
}

export interface WaitingMessage {
  id: number;
  message: string;
  change_set: number | null;
  attempts: number;
  is_manual: boolean;
  /** Of its change set, ISO 8601. */
  at: string | null;
  /** Seconds since the row was written. */
  age: number;
  /** It may be sent now. */
  is_due: boolean;
}

/** Webhooks whose owner may see something; a paused one keeps its messages. */
const ACTIVE = sql`
  kind = 'webhook' and is_active
  and exists (select from users where users.id = owner_id and deactivated_at is null)`;

const WAITING = sql`subscription_id = subscriptions.id and status = 'waiting'`;
/** If the order is kept, the oldest message decides: the others wait for it. */
const IS_DUE = sql`
  (exists (select from deliveries where ${WAITING} and is_manual)
    or case when (settings ->> 'ordered')::boolean
      then (select next_at from deliveries where ${WAITING} and not is_manual order by change_set, id limit 1) <= now()
      else exists (select from deliveries where ${WAITING} and next_at <= now()) end)`;

export function takeWebhooks(most: number): Promise<outbox.TakenRow[]> {
  return outbox.take(WEBHOOKS, { where: sql`${ACTIVE} and ${IS_DUE}`, order: sql`id`, most });
}

/** The webhook as it is now, if it is active. */
export async function findActive(id: number): Promise<WebhookToSend | undefined> {
  const found = await database.row<
    Omit<WebhookToSend, "filters" | "settings"> & { filters: string; settings: string }
  >(sql`
    select id, name, owner_id, url, filters::text, settings::text, secrets, revision
    from subscriptions where id = ${id} and ${ACTIVE}`);
  if (!found) return undefined;
  const { filters, settings, ...webhook } = found;
  return { ...webhook, filters: JSON.parse(filters), settings: JSON.parse(settings) };
}

const MESSAGE = sql`
  deliveries.id::float8, message::text, change_set::float8, attempts, is_manual,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  extract(epoch from now() - created_at)::float8 as age, next_at <= now() as is_due`;

/**
 * The next messages in their order, those sent by hand first. Not past a change that is not committed: it would be
 * overtaken.
 */
export async function nextInOrder(webhook: number, most: number): Promise<WaitingMessage[]> {
  const committed = await committedUpToId("change_sets");
  const waiting = sql`subscription_id = ${webhook} and status = 'waiting'`;
  return database.rows<WaitingMessage>(sql`
    select ${MESSAGE} from (
      (select * from deliveries where ${waiting} and is_manual order by id limit ${most})
      union all
      (select * from deliveries where ${waiting} and not is_manual and change_set <= ${committed}
        order by change_set, id limit ${most})
    ) deliveries left join change_sets on change_sets.id = change_set
    order by is_manual desc, change_set, deliveries.id`);
}

/** Those that are due, of a webhook without order. */
export function nextDue(webhook: number, most: number): Promise<WaitingMessage[]> {
  return database.rows<WaitingMessage>(sql`
    select ${MESSAGE} from deliveries left join change_sets on change_sets.id = change_set
    where subscription_id = ${webhook} and deliveries.status = 'waiting' and next_at <= now()
    order by change_set, deliveries.id limit ${most}`);
}

/** Nothing in these change sets is for this webhook. */
export async function forget(ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await database.execute(sql`
    delete from deliveries where id = any(${longs(ids)}) and status = 'waiting'`);
}

/** Tries them again in a while, without an attempt. */
export async function postpone(ids: readonly number[], seconds: number): Promise<void> {
  await database.execute(sql`
    update deliveries set next_at = now() + make_interval(secs => ${seconds})
    where id = any(${longs(ids)}) and status = 'waiting'`);
}

/** What became of an attempt. */
export interface AttemptResult {
  outcome: "delivered" | "failed" | "retry";
  /** Seconds until the next attempt. */
  pause: number;
  milliseconds: number;
  status: number | null;
  problem: string | null;
  url: string;
  requestHeaders: Record<string, string>;
  requestBody: string;
  answerHeaders: Record<string, string>;
  answerBody: string;
}

/** Records an attempt. Returns whether this sender still held the webhook. */
export async function record(
  holder: outbox.TakenRow,
  message: WaitingMessage,
  result: AttemptResult,
): Promise<boolean> {
  const isOver = result.outcome !== "retry";
  const recorded = await database.execute(sql`
    with done as (
      update deliveries set attempts = attempts + 1,
        status = ${isOver ? result.outcome : "waiting"},
        finished_at = ${isOver ? sql`now()` : sql`null`},
        next_at = now() + make_interval(secs => ${result.pause})
      where id = ${message.id} and status = 'waiting' and attempts = ${message.attempts}
        and exists (select from subscriptions where ${outbox.isHeld(WEBHOOKS, holder)})
      returning id
    )
    insert into delivery_attempts (delivery_id, at, milliseconds, status, problem, url, request_headers, request_body,
      answer_headers, answer_body)
    select id, now() - make_interval(secs => ${result.milliseconds / 1_000}), ${Math.round(result.milliseconds)}::integer,
      ${result.status}::integer, ${result.problem}::text, ${result.url}::text, ${jsonb(result.requestHeaders)},
      ${result.requestBody}::text, ${jsonb(result.answerHeaders)}, ${result.answerBody}::text
    from done returning id`);
  if (message.attempts >= ATTEMPTS_KEPT) await shortenLog(message.id);
  return recorded.length > 0;
}

/** The newest of each message. */
const ATTEMPTS_KEPT = 10;

async function shortenLog(message: number): Promise<void> {
  await database.execute(sql`
    delete from delivery_attempts where delivery_id = ${message} and id <= (
      select id from delivery_attempts where delivery_id = ${message} order by id desc offset ${ATTEMPTS_KEPT} limit 1)`);
}

/** The newest of each webhook. */
const DELIVERED_KEPT = 1_000;
const FAILED_KEPT = 10_000;

/** Limits the log of messages in time and in size, in one of the instances at a time. */
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
