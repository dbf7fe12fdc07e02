// The log of messages of a webhook, and what admins send by hand.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { changeParameter, publicId, readPublicId } from "../../input/change_ids.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { MOST_REPLAYED } from "../../input/limits.ts";
import { closed } from "../../input/shape.ts";
import { readTime } from "../../input/times.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Transaction, write } from "../../store/write.ts";
import { type Delivery, delivery, type deliveryAttempt } from "./delivery.ts";
import { find as findWebhook } from "./webhooks.ts";

type DeliveryAttempt = Static<typeof deliveryAttempt>;

export async function list(
  caller: Caller,
  webhook: number,
  params: URLSearchParams,
): Promise<records.ListJson<Delivery>> {
  requireAdmin(caller);
  const ofWebhook = sql`deliveries.subscription_id = ${webhook}`;
  const listed = await records.list(queryOf(caller), params, ofWebhook);
  await findWebhook(caller, webhook);
  return records.changedList(listed, withPublicId);
}

type StoredDelivery = Omit<Delivery, "change_set"> & { change_set: number | null };

function queryOf(caller: Caller): records.RecordQuery<StoredDelivery> {
  return recordQuery(delivery, caller) as unknown as records.RecordQuery<StoredDelivery>;
}

function withPublicId(row: StoredDelivery): Delivery {
  return { ...row, change_set: row.change_set === null ? null : publicId(row.change_set) };
}

interface DeliveryKey {
  webhook: number;
  id: number;
}

export async function find(
  caller: Caller,
  { webhook, id }: DeliveryKey,
  tx?: Transaction,
): Promise<records.RecordJson<Delivery>> {
  await findWebhook(caller, webhook, tx);
  const where = sql`deliveries.id = ${id} and deliveries.subscription_id = ${webhook}`;
  return records.changedRecord(await records.find(queryOf(caller), where, tx), withPublicId);
}

/** The newest first. */
export async function attempts(caller: Caller, key: DeliveryKey): Promise<DeliveryAttempt[]> {
  await find(caller, key);
  const found = await database.rows<{ json: string }>(sql`
    select row_to_json(one)::text as json from (
      select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, milliseconds, status, problem,
        url, request_headers, request_body, answer_headers, answer_body
      from delivery_attempts where delivery_id = ${key.id} order by delivery_attempts.id desc
    ) one`);
  return found.map(({ json }) => JSON.parse(json));
}

/** A message that says that it is a test. */
export async function sendTest(
  caller: Caller,
  webhook: number,
): Promise<records.RecordJson<Delivery>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const { is_active } = records.rowOf(await findWebhook(caller, webhook, tx));
    if (!is_active) throw invalid("webhook", "Activate the webhook first");
    const [made] = await tx.execute<{ id: number }>(sql`
      insert into deliveries (subscription_id, is_manual) values (${webhook}, true) returning id::float8`);
    return find(caller, { webhook, id: made?.id ?? 0 }, tx);
  });
}

/** The same message, with the same id: a receiver that has it drops it. It is tried once. */
export async function sendAgain(
  caller: Caller,
  { webhook, id }: DeliveryKey,
): Promise<records.RecordJson<Delivery>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const { is_active } = records.rowOf(await findWebhook(caller, webhook, tx));
    if (!is_active) throw invalid("webhook", "Activate the webhook first");
    const waiting = await tx.execute(sql`
      update deliveries set status = 'waiting', is_manual = is_manual or status <> 'waiting', next_at = now(), finished_at = null
      where id = ${id} and subscription_id = ${webhook} returning id`);
    if (waiting.length === 0) throw notFound();
    return find(caller, { webhook, id }, tx);
  });
}

const MOMENT = Type.String({
  maxLength: 40,
  description: "Use a time such as 2026-01-31 14:05, in UTC",
});
export const replayRange = closed({
  first: Type.Optional({ ...changeParameter, title: "From change" }),
  last: Type.Optional({ ...changeParameter, title: "To change" }),
  from: Type.Optional({ ...MOMENT, title: "From time" }),
  to: Type.Optional({ ...MOMENT, title: "To time" }),
});
type ReplayRange = Static<typeof replayRange>;

export const replayed = Type.Object({
  change_sets: Type.Integer({
    description: "Changes of the range; those that match the filters are sent",
  }),
});

/**
 * The change sets of a range again, as new messages with new ids, in their order. Whether one matches is decided when it
 * is sent.
 */
export async function replay(
  caller: Caller,
  webhook: number,
  range: ReplayRange,
): Promise<Static<typeof replayed>> {
  requireAdmin(caller);
  const { first, last, from, to } = range;
  if (first === undefined && from === undefined) {
    throw invalid("first", "Use the change or the time from which to replay");
  }
  const where = sql.join(
    [
      ...(first === undefined ? [] : [sql`id >= ${readPublicId(first)}`]),
      ...(last === undefined ? [] : [sql`id <= ${readPublicId(last)}`]),
      ...(from === undefined ? [] : [sql`at >= ${momentOf("from", from).from}::text::timestamptz`]),
      ...(to === undefined ? [] : [sql`at < ${momentOf("to", to).until}::text::timestamptz`]),
    ],
    sql` and `,
  );
  return write(caller, async (tx) => {
    const { name, is_active } = records.rowOf(await findWebhook(caller, webhook, tx));
    if (!is_active) throw invalid("webhook", "Activate the webhook first");
    const made = await tx.execute<{ count: number }>(sql`
      with made as (
        insert into deliveries (subscription_id, change_set)
        select ${webhook}::integer, id from change_sets
        where ${where} and id < current_setting('app.change_set')::bigint
          and exists (select from changes where change_set = change_sets.id)
        order by id limit ${MOST_REPLAYED + 1} returning id
      )
      select count(*)::int as count from made`);
    const count = made[0]?.count ?? 0;
    if (count > MOST_REPLAYED) {
      throw invalid(
        "first",
        `These are more than ${MOST_REPLAYED.toLocaleString("en")} changes: use a smaller range`,
      );
    }
    const details = { ...range, change_sets: count };
    await audit.addBy(tx, caller, { event: "webhook.replayed", target: name, details });
    return { change_sets: count };
  });
}

function momentOf(field: string, text: string) {
  const period = readTime(text);
  if (!period) throw invalid(field, MOMENT.description ?? "");
  return period;
}
