// Sends the messages of webhooks. Each process has a sender; together they share the work by leases in the database.

import { and, eq, sql } from "drizzle-orm";
import { inBackground, keepDoing, type Loop } from "../../../db/background.ts";
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
import { Interrupted, isGone, type Sending, sendMessage } from "./attempt.ts";
import type { WaitingMessage, WebhookToSend } from "./claim.ts";
import * as claim from "./claim.ts";
import { cleanUp } from "./cleanup.ts";
import { messagesOf, testMessage } from "./message.ts";
import { openSecrets, type WebhookSecrets } from "./signature.ts";

/** Messages that are read at once. */
const BATCH = 50;
/** Messages without order that one sender sends at once to one receiver. */
const AT_ONCE = 8;
/** Milliseconds after which what the owner sees is asked again. */
const FRESH = 1_000;
const ANSWER_TIMEOUT = 15_000;
const RENEWAL_INTERVAL = 3_000;
const LOOK_INTERVAL = 1_000;
const CLEANUP_INTERVAL = 60_000;
const LAST_ANSWERS = 5_000;
/** Seconds before messages are tried again that cannot be made. */
const UNUSABLE = 60;
const INTERRUPTED = "The sender of webhooks was interrupted";

export interface Sender {
  /** What is being sent is finished within seconds, or given back. */
  stop(): Promise<void>;
}

interface SenderOptions {
  /** Milliseconds for an answer. */
  timeout?: number;
  /** Milliseconds that answers get when the process ends. */
  lastAnswers?: number;
}

export function start(options: SenderOptions = {}): Sender {
  const sender = new WebhookSender({
    timeout: ANSWER_TIMEOUT,
    lastAnswers: LAST_ANSWERS,
    ...options,
  });
  return { stop: () => sender.stop() };
}

class WebhookSender {
  private readonly id = crypto.randomUUID();
  /** Work by webhook. */
  private readonly working = new Map<number, Promise<void>>();
  private readonly again = new Set<number>();
  private readonly interrupting = new AbortController();
  private readonly looking: Loop;
  private readonly loops: Loop[];
  private readonly stopListening: () => void;
  private isEnding = false;
  /** What there is to send for. Without webhooks, a commit costs nothing. */
  private active: claim.ActiveWebhooks = { ordered: false, others: false };

  constructor(private readonly options: Required<SenderOptions>) {
    this.stopListening = onCommit(() => this.look());
    this.looking = keepDoing(INTERRUPTED, () => this.startDue());
    const around = keepDoing(INTERRUPTED, () => this.lookAround(), { every: LOOK_INTERVAL });
    this.loops = [
      this.looking,
      around,
      keepDoing(INTERRUPTED, () => this.renew(), { every: RENEWAL_INTERVAL }),
      keepDoing(INTERRUPTED, cleanUp, { every: CLEANUP_INTERVAL }),
    ];
    around.wake();
  }

  async stop(): Promise<void> {
    this.isEnding = true;
    this.stopListening();
    const timer = setTimeout(() => this.interrupting.abort(), this.options.lastAnswers);
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await Promise.all(this.working.values());
    clearTimeout(timer);
    await inBackground(INTERRUPTED, claim.giveBack(this.id));
  }

  private async renew(): Promise<void> {
    if (this.working.size > 0) await claim.renew(this.id, [...this.working.keys()]);
  }

  private async lookAround(): Promise<void> {
    this.active = (await inTurn(claim.activeWebhooks)) ?? this.active;
    this.look();
  }

  /** Starts what is due. */
  private look(): void {
    const { ordered, others } = this.active;
    if (ordered || others) this.looking.wake();
  }

  private async startDue(): Promise<void> {
    for (const id of this.working.keys()) this.again.add(id);
    const { active } = this;
    const [ordered, others] = await Promise.all([
      active.ordered ? claim.takeOrdered(this.id) : [],
      active.others ? claim.unordered() : [],
    ]);
    for (const webhook of ordered) this.run(webhook, () => this.sendInOrder(webhook));
    for (const webhook of others) {
      if (!this.working.has(webhook.id)) this.run(webhook, () => this.sendAny(webhook));
    }
  }

  /** After what is still running for this webhook: its lease was let go already. */
  private run({ id, name }: WebhookToSend, work: () => Promise<void>): void {
    const before = this.working.get(id) ?? Promise.resolve();
    const sending = before.then(work).catch((error) => {
      if (!(error instanceof Interrupted)) throw error;
    });
    const running = inBackground("The messages of a webhook wait", sending, {
      webhook: name,
    }).finally(() => {
      if (this.working.get(id) === running) this.working.delete(id);
    });
    this.working.set(id, running);
  }

  /** One message after the other. A message that fails holds up those after it. */
  private async sendInOrder(taken: WebhookToSend): Promise<void> {
    let webhook: WebhookToSend | undefined = taken;
    try {
      this.again.delete(taken.id);
      let next = await claim.nextInOrder(taken.id, BATCH);
      while (webhook && !this.isEnding) {
        const isMore = await this.sendBatchInOrder(webhook, next);
        if (!isMore && !this.again.has(taken.id)) return;
        this.again.delete(taken.id);
        [webhook, next] = await Promise.all([
          claim.reread(this.id, taken.id),
          claim.nextInOrder(taken.id, BATCH),
        ]);
      }
    } finally {
      await inBackground(INTERRUPTED, claim.letGo(this.id, taken.id));
      // A look before that did not get it.
      if (this.again.delete(taken.id)) this.look();
    }
  }

  /** Returns whether there may be more to send now. */
  private async sendBatchInOrder(
    webhook: WebhookToSend,
    next: readonly WaitingMessage[],
  ): Promise<boolean> {
    const blocked = next.findIndex(({ is_due, is_manual }) => !is_due && !is_manual);
    const due = blocked < 0 ? next : next.slice(0, blocked);
    if (due.length === 0) return false;
    const until = performance.now() + FRESH;
    const sendings = await prepared(webhook, due);
    if (!sendings) return false;
    // The next message is sent while the one before is recorded: if that fails, both are sent again, in their order.
    let recording: Promise<boolean> = Promise.resolve(true);
    for (const sending of sendings) {
      if (this.isEnding || performance.now() > until) return recording;
      const result = await this.send(sending).catch(async (error) => {
        await recording;
        throw error;
      });
      if (!(await recording)) return false;
      recording = this.record(sending, result);
      // Whoever awaits it hears of a failure, perhaps only when the next message is sent.
      recording.catch(() => {});
      if (result.outcome !== "delivered" && !(await recording)) return false;
    }
    return (await recording) && next.length === BATCH;
  }

  /** Several at once. */
  private async sendAny(taken: WebhookToSend): Promise<void> {
    let webhook: WebhookToSend | undefined = taken;
    while (webhook && !this.isEnding) {
      this.again.delete(taken.id);
      const due = await claim.takeAny(this.id, taken.id, AT_ONCE);
      if (due.length === 0) {
        if (this.again.has(taken.id)) continue;
        return;
      }
      try {
        const sendings = (await prepared(webhook, due)) ?? [];
        await Promise.all(
          sendings.map(async (sending) => this.record(sending, await this.send(sending))),
        );
      } finally {
        const ids = due.map(({ id }) => id);
        await inBackground(INTERRUPTED, claim.giveBack(this.id, ids));
      }
      webhook = (await claim.unordered()).find(({ id }) => id === taken.id);
    }
  }

  private send(sending: Sending): Promise<claim.AttemptResult> {
    return sendMessage(sending, {
      signal: this.interrupting.signal,
      timeout: this.options.timeout,
    });
  }

  /** Returns whether the message is done with, and the webhook goes on. */
  private async record(sending: Sending, result: claim.AttemptResult): Promise<boolean> {
    const { webhook, waiting } = sending;
    const isHeld = await claim.record(this.id, { webhook, message: waiting }, result);
    if (isHeld && isGone(result.status)) {
      await switchOff(webhook);
      return false;
    }
    return isHeld && result.outcome !== "retry";
  }
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
  await claim.postpone(
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
  await claim.forget(due.filter((one) => !wanted.includes(one)).map(({ id }) => id));
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
