// Which messages a sender sends: statements with leases, so that a message is sent by one sender at a time, and by
// another one if that sender dies. A sender is one process, with an id of its own.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { integers, longs } from "../../input/keys.ts";
import { committedUpToId } from "../../store/paging.ts";
import { jsonb } from "../../store/write.ts";
import type { WebhookSettings } from "./webhook.ts";

/** Seconds; it is renewed while the sender lives. */
export const LEASE = 10;
const LEASE_END = sql.raw(`now() + interval '${LEASE} seconds'`);

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

const COLUMNS = sql`
  subscriptions.id, name, owner_id, url, filters::text, settings::text, secrets, revision`;

type WebhookRow = Omit<WebhookToSend, "filters" | "settings"> & {
  filters: string;
  settings: string;
};

function readWebhook({ filters, settings, ...row }: WebhookRow): WebhookToSend {
  return { ...row, filters: JSON.parse(filters), settings: JSON.parse(settings) };
}

/** Webhooks whose owner may see something; a paused one keeps its messages. */
const ACTIVE = sql`
  kind = 'webhook' and is_active
  and exists (select from users where users.id = owner_id and deactivated_at is null)`;

export interface ActiveWebhooks {
  /** There are some that keep the order. */
  ordered: boolean;
  /** There are some without. */
  others: boolean;
}

export async function activeWebhooks(): Promise<ActiveWebhooks | undefined> {
  const ordered = sql`(settings ->> 'ordered')::boolean`;
  return database.row<ActiveWebhooks>(sql`
    select coalesce(bool_or(${ordered}), false) as ordered, coalesce(bool_or(not ${ordered}), false) as others
    from subscriptions where ${ACTIVE}`);
}

const MANUAL_DUE = sql`
  exists (select from deliveries where subscription_id = subscriptions.id and status = 'waiting' and is_manual)`;

/** The oldest message decides: the others wait for it. */
const HEAD_DUE = sql`
  (select next_at from deliveries where subscription_id = subscriptions.id and status = 'waiting' and not is_manual
    order by change_set, deliveries.id limit 1) <= now()`;

/**
 * Takes the webhooks that keep the order and have something to send. For no key update: a write that adds messages does
 * not hold the sender up.
 */
export async function takeOrdered(sender: string): Promise<WebhookToSend[]> {
  const rows = await database.execute<WebhookRow>(sql`
    update subscriptions set lease_until = ${LEASE_END}, lease_by = ${sender}
    where id in (
      select id from subscriptions
      where ${ACTIVE} and (settings ->> 'ordered')::boolean and (lease_until is null or lease_until < now())
        and (${HEAD_DUE} or ${MANUAL_DUE})
      order by id for no key update skip locked)
    returning ${COLUMNS}`);
  return rows.map(readWebhook);
}

/** The webhook as it is now, if this sender still holds it. */
export async function reread(sender: string, id: number): Promise<WebhookToSend | undefined> {
  const [row] = await database.execute<WebhookRow>(sql`
    update subscriptions set lease_until = ${LEASE_END}
    where id = ${id} and lease_by = ${sender} and ${ACTIVE} returning ${COLUMNS}`);
  return row && readWebhook(row);
}

/** Webhooks without order that have something to send. */
export async function unordered(): Promise<WebhookToSend[]> {
  const rows = await database.rows<WebhookRow>(sql`
    select ${COLUMNS} from subscriptions
    where ${ACTIVE} and not (settings ->> 'ordered')::boolean and exists (
      select from deliveries where subscription_id = subscriptions.id and ${IS_FREE})
    order by id`);
  return rows.map(readWebhook);
}

const IS_FREE = sql`
  status = 'waiting' and next_at <= now() and (deliveries.lease_until is null or deliveries.lease_until < now())`;

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

/** Takes some messages of a webhook without order. */
export async function takeAny(
  sender: string,
  webhook: number,
  most: number,
): Promise<WaitingMessage[]> {
  return database.execute<WaitingMessage>(sql`
    with taken as (
      update deliveries set lease_until = ${LEASE_END}, lease_by = ${sender}
      where id in (
        select id from deliveries where subscription_id = ${webhook} and ${IS_FREE}
        order by change_set, id limit ${most} for update skip locked)
      returning *
    )
    select ${MESSAGE} from taken deliveries left join change_sets on change_sets.id = change_set
    order by change_set, deliveries.id`);
}

/** Renews the leases of this sender, for the webhooks that it works on. */
export async function renew(sender: string, webhooks: readonly number[]): Promise<void> {
  await database.execute(sql`
    with renewed as (
      update subscriptions set lease_until = ${LEASE_END}
      where lease_by = ${sender} and id = any(${integers(webhooks)})
    )
    update deliveries set lease_until = ${LEASE_END} where lease_by = ${sender} and status = 'waiting'`);
}

/** Another sender may go on. */
export async function letGo(sender: string, webhook: number): Promise<void> {
  await database.execute(sql`
    update subscriptions set lease_until = null, lease_by = null where id = ${webhook} and lease_by = ${sender}`);
}

/** Gives back what was taken and not sent. */
export async function giveBack(sender: string, ids?: readonly number[]): Promise<void> {
  const those = ids ? sql`and id = any(${longs(ids)})` : sql``;
  await database.execute(sql`
    update deliveries set lease_until = null, lease_by = null
    where lease_by = ${sender} and status = 'waiting' ${those}`);
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
    update deliveries set next_at = now() + make_interval(secs => ${seconds}), lease_until = null
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

/** Records an attempt. Returns whether this sender still held the message. */
export async function record(
  sender: string,
  { webhook, message }: { webhook: WebhookToSend; message: WaitingMessage },
  result: AttemptResult,
): Promise<boolean> {
  const isOver = result.outcome !== "retry";
  const held = webhook.settings.ordered
    ? sql`exists (select from subscriptions where subscriptions.id = ${webhook.id} and subscriptions.lease_by = ${sender})`
    : sql`lease_by = ${sender}`;
  const recorded = await database.execute(sql`
    with done as (
      update deliveries set attempts = attempts + 1, lease_until = null, lease_by = null,
        status = ${isOver ? result.outcome : "waiting"},
        finished_at = ${isOver ? sql`now()` : sql`null`},
        next_at = now() + make_interval(secs => ${result.pause})
      where id = ${message.id} and status = 'waiting' and attempts = ${message.attempts} and ${held}
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
