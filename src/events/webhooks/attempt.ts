// One attempt to deliver a message.
import { version } from "../../../package.json";
import { storableText } from "../../input/text.ts";
import { Interrupted, pauseAfter } from "../../store/outbox.ts";
import { NoAnswer, retryAfterOf, sendTo, type TargetAnswer } from "../http_target.ts";
import { encoded, type Message } from "./message.ts";
import type { AttemptResult, WaitingMessage, WebhookToSend } from "./queue.ts";
import { bodySignatures, signatures, type WebhookSecrets } from "./signature.ts";

export interface Sending {
  webhook: WebhookToSend;
  secrets: WebhookSecrets;
  waiting: WaitingMessage;
  message: Message;
}

const [MINUTE, HOUR] = [60, 3_600];
/** Seconds after each attempt that failed; the last one repeats. */
const PAUSES = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
/** Seconds from the change on, after which a message is given up. */
const PATIENCE = 3 * 24 * HOUR;
/** Seconds that a receiver may ask for. */
const LONGEST_RETRY_AFTER = 24 * HOUR;

/** Characters of an answer's headers that are kept. */
const LONGEST_HEADERS = 4_000;

interface Ending {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
}

/** If it is interrupted, no attempt is recorded. */
export async function sendMessage(sending: Sending, ending: Ending): Promise<AttemptResult> {
  const { webhook, secrets, waiting, message } = sending;
  const id = waiting.message;
  const { contentType, body } = encoded(message, id, webhook.settings.format);
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = { id, timestamp, body };
  const headers = {
    "content-type": contentType,
    "user-agent": `Cadastre/${version}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures(secrets, signed),
    "x-hub-signature-256": bodySignatures(secrets, signed),
  };
  const startedAt = performance.now();
  const sentRequest = { url: webhook.url, requestHeaders: headers, requestBody: body };
  try {
    const request = { url: webhook.url, method: "POST", headers, body, ...ending } as const;
    const answer = await sendTo(request);
    return {
      ...sentRequest,
      ...judged(answer, waiting),
      milliseconds: performance.now() - startedAt,
    };
  } catch (error) {
    if (ending.signal.aborted) throw new Interrupted();
    if (!(error instanceof NoAnswer)) throw error;
    return {
      ...sentRequest,
      ...failed(waiting, undefined),
      milliseconds: performance.now() - startedAt,
      status: null,
      problem: error.message,
      answerHeaders: {},
      answerBody: "",
    };
  }
}

type JudgedAnswer = Omit<AttemptResult, "milliseconds" | "url" | "requestHeaders" | "requestBody">;

function judged(answer: TargetAnswer, waiting: WaitingMessage): JudgedAnswer {
  const { status, headers } = answer;
  const kept = { status, answerHeaders: shortened(headers), answerBody: storableText(answer.body) };
  if (status >= 200 && status < 300) {
    return { ...kept, outcome: "delivered", pause: 0, problem: null };
  }
  const problem =
    status >= 300 && status < 400
      ? `The server redirects to ${originOf(headers.location)}: redirects are not followed`
      : `The server answered ${status}`;
  if (isGone(status)) return { ...kept, outcome: "failed", pause: 0, problem };
  return { ...kept, ...failed(waiting, retryAfterOf(answer)), problem };
}

/** The receiver wants no more messages. */
export function isGone(status: number | null): boolean {
  return status === 410;
}

function failed(
  { attempts, age, is_manual }: WaitingMessage,
  retryAfter: number | undefined,
): Pick<AttemptResult, "outcome" | "pause"> {
  if (is_manual || age > PATIENCE) return { outcome: "failed", pause: 0 };
  return { outcome: "retry", pause: pauseBefore(attempts + 1, retryAfter) };
}

export function pauseBefore(attempt: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return Math.min(retryAfter, LONGEST_RETRY_AFTER);
  return pauseAfter(attempt, PAUSES);
}

function originOf(location: string | undefined): string {
  return location && URL.canParse(location) ? new URL(location).origin : "another address";
}

function shortened(headers: Record<string, string>): Record<string, string> {
  let left = LONGEST_HEADERS;
  const kept = Object.entries(headers).filter(([name, value]) => {
    left -= name.length + value.length;
    return left >= 0;
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, storableText(value)]));
}
