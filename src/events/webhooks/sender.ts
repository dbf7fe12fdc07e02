// Sends the messages of webhooks. Each process has a sender; together they share the webhooks: see store/outbox.ts.

import { and, eq, sql } from "drizzle-orm";
import { keepDoing } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onCommit } from "../../../db/commits.ts";
import { inTurn } from "../../../db/in_turn.ts";
import { subscriptions } from "../../../db/tables/events.ts";
import * as audit from "../../auth/audit.ts";
import type { Caller } from "../../auth/auth.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { matchingSets } from "../../history/feed.ts";
import type { ChangeFilters } from "../../history/filters.ts";
import { Refusal } from "../../input/errors.ts";
import { MOST_WEBHOOKS } from "../../input/limits.ts";
import * as outbox from "../../store/outbox.ts";
import { isGone, type Sending, sendMessage } from "./attempt.ts";
import { messagesOf, testMessage } from "./message.ts";
import type { AttemptResult, WaitingMessage, WebhookToSend } from "./queue.ts";
import * as queue from "./queue.ts";
import { openSecrets, type WebhookSecrets } from "./signature.ts";

/** Messages that are read at once. */
const BATCH = 50;
/** Messages without order that are sent at once to one receiver. */
const AT_ONCE = 8;
/** Milliseconds after which what the owner sees is asked again. */
const FRESH = 1_000;
const ANSWER_TIMEOUT = 15_000;
/** Milliseconds between two looks for messages, so that many commits need few. */
const LOOK_INTERVAL = 50;
const CLEANUP_INTERVAL = 60_000;
const LAST_ANSWERS = 5_000;
/** Seconds before messages are tried again that cannot be made. */
const UNUSABLE = 60;
const INTERRUPTED = "The sender of webhooks was interrupted";

interface SenderOptions {
  /** Milliseconds for an answer. */
  timeout?: number;
  /** Milliseconds that answers get when the process ends. */
  lastAnswers?: number;
}

export function start({
  timeout = ANSWER_TIMEOUT,
  lastAnswers = LAST_ANSWERS,
}: SenderOptions = {}): outbox.OutboxWorker {
  const cleaning = keepDoing(INTERRUPTED, queue.cleanUp, { every: CLEANUP_INTERVAL });
  const sending = outbox.start({
    outbox: queue.WEBHOOKS,
    interrupted: INTERRUPTED,
    take: (most) => inTurn(() => queue.takeWebhooks(most)),
    perform: (held) => sendAll({ held, timeout }),
    givenBack: queue.LET_GO,
    atOnce: MOST_WEBHOOKS,
    pace: { apart: LOOK_INTERVAL },
    wokenBy: onCommit,
    patience: lastAnswers,
  });
  return {
    stop: async () => {
      await Promise.all([cleaning.stop(), sending.stop()]);
    },
  };
}

/** What one sender does with a webhook that it holds. */
interface WebhookWork {
  held: outbox.HeldRow;
  timeout: number;
}

async function sendAll(work: WebhookWork): Promise<void> {
  const { held } = work;
  let isMore = true;
  while (isMore && !held.ending.aborted) {
    const webhook = await queue.findActive(held.id);
    if (!webhook) break;
    const sendSome = webhook.settings.ordered ? sendInOrder : sendTogether;
    // Another sender may have taken the webhook meanwhile.
    isMore = (await sendSome(work, webhook)) && (await held.change({}));
  }
  await held.settle(queue.LET_GO);
}

/** One message after the other; one that fails holds up those after it. Returns whether there may be more to send now. */
async function sendInOrder(work: WebhookWork, webhook: WebhookToSend): Promise<boolean> {
  const next = await queue.nextInOrder(webhook.id, BATCH);
  const blocked = next.findIndex(({ is_due, is_manual }) => !is_due && !is_manual);
  const due = blocked < 0 ? next : next.slice(0, blocked);
  if (due.length === 0) return false;
  const until = performance.now() + FRESH;
  const sendings = await prepared(webhook, due);
  if (!sendings) return false;
  // The next message is sent while the one before is recorded: if that fails, both are sent again, in their order.
  let recording: Promise<boolean> = Promise.resolve(true);
  for (const sending of sendings) {
    if (work.held.ending.aborted || performance.now() > until) return recording;
    const result = await send(work, sending).catch(async (error) => {
      await recording;
      throw error;
    });
    if (!(await recording)) return false;
    recording = record(work, sending, result);
    // Whoever awaits it hears of a failure, perhaps only when the next message is sent.
    recording.catch(() => {});
    if (result.outcome !== "delivered" && !(await recording)) return false;
  }
  return (await recording) && next.length === BATCH;
}

/** Several at once. Returns whether there may be more to send now. */
async function sendTogether(work: WebhookWork, webhook: WebhookToSend): Promise<boolean> {
  const due = await queue.nextDue(webhook.id, AT_ONCE);
  if (due.length === 0) return false;
  const sendings = await prepared(webhook, due);
  if (!sendings) return false;
  await Promise.all(
    sendings.map(async (sending) => record(work, sending, await send(work, sending))),
  );
  return true;
}

function send({ held, timeout }: WebhookWork, sending: Sending): Promise<AttemptResult> {
  return sendMessage(sending, { signal: held.signal, timeout });
}

/** Returns whether the message is done with, and the webhook goes on. */
async function record(
  { held }: WebhookWork,
  { webhook, waiting }: Sending,
  result: AttemptResult,
): Promise<boolean> {
  const isHeld = await queue.record(held, waiting, result);
  if (isHeld && isGone(result.status)) {
    await switchOff(webhook);
    return false;
  }
  return isHeld && result.outcome !== "retry";
}

/**
 * The messages that the owner may see now; the others are deleted without a trace. Undefined if none can be made: they
 * stay, and the reason is shown.
 */
async function prepared(
  webhook: WebhookToSend,
  due: readonly WaitingMessage[],
): Promise<Sending[] | undefined> {
  const secrets = openSecrets(webhook.secrets);
  if (!secrets) {
    return unusable(webhook, due, "Its secret was encrypted with another SECRET_KEY: replace it");
  }
  const owner = await ownerCaller(webhook.owner_id);
  if (!owner) return undefined;
  try {
    return await sendingsOf({ webhook, secrets, owner }, due);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return unusable(webhook, due, `Its filters cannot be used: ${error.message}`);
  }
}

async function unusable(
  { id }: WebhookToSend,
  due: readonly WaitingMessage[],
  trouble: string,
): Promise<undefined> {
  await database.execute(sql`update subscriptions set trouble = ${trouble} where id = ${id}`);
  await queue.postpone(
    due.map((one) => one.id),
    UNUSABLE,
  );
}

interface Making {
  webhook: WebhookToSend;
  secrets: WebhookSecrets;
  owner: Caller;
}

async function sendingsOf(
  { webhook, secrets, owner }: Making,
  due: readonly WaitingMessage[],
): Promise<Sending[]> {
  const ids = due.flatMap(({ change_set }) => change_set ?? []);
  const sets = await matchingSets(owner, webhook.filters as ChangeFilters, [...new Set(ids)]);
  const byId = new Map(sets.map((set) => [set.id, set]));
  const isTest = ({ change_set }: WaitingMessage) => change_set === null;
  const wanted = due.filter((one) => isTest(one) || byId.has(one.change_set ?? 0));
  await queue.forget(due.filter((one) => !wanted.includes(one)).map(({ id }) => id));
  const found = wanted.flatMap((waiting) => {
    const set = byId.get(waiting.change_set ?? 0);
    return set ? [{ set, at: waiting.at ?? "" }] : [];
  });
  const messages = (await messagesOf(owner, found)).values();
  return wanted.flatMap((waiting) => {
    const message = isTest(waiting) ? testMessage(webhook.name) : messages.next().value;
    return message ? [{ webhook, secrets, waiting, message }] : [];
  });
}

/** The receiver answered 410 Gone. */
async function switchOff({ id, name }: WebhookToSend): Promise<void> {
  const trouble = "The receiver answered 410 Gone";
  await database.transaction(async (tx) => {
    const changed = await tx
      .update(subscriptions)
      .set({ is_active: false, trouble, revision: sql`revision + 1`, updated_at: sql`now()` })
      .where(and(eq(subscriptions.id, id), eq(subscriptions.is_active, true)))
      .returning({ id: subscriptions.id });
    if (changed.length === 0) return;
    const entry = { ...audit.BY_SERVICE, target: name, details: { reason: trouble } };
    await audit.addWithin(tx, { event: "webhook.switched_off", ...entry });
  });
}
