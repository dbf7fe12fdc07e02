// Ends streams whose token or session is not valid any more, or whose user sees other records than before; such a reader
// connects again. All streams of this process are checked together.
import { isUnavailable } from "../../../db/errors.ts";
import {
  type Caller,
  type Credential,
  isAdmin,
  onForget,
  presentCallers,
} from "../../auth/auth.ts";
import { isUsableFrom } from "../../auth/token_limits.ts";
import { visibilityOf } from "../../auth/visibility.ts";
import * as log from "../../monitoring/log.ts";

/** Milliseconds between two checks: a revocation by another process ends a stream within a second. */
const INTERVAL = 750;
/** Milliseconds after which the last check is too old to send what was read since. */
const LONGEST_TRUST = 1_500;

interface CheckedStream {
  caller: Caller;
  credential: Credential;
  /** Of the client. */
  address: string;
  end: () => void;
}

const streams = new Set<CheckedStream>();
let timer: ReturnType<typeof setInterval> | undefined;
let lastCheck = Number.NEGATIVE_INFINITY;
let checking: Promise<void> | undefined;

/** Returns a function that ends the checks of this stream. */
export function keepChecked(stream: CheckedStream): () => void {
  if (streams.size === 0) lastCheck = performance.now();
  streams.add(stream);
  timer ??= setInterval(check, INTERVAL);
  return () => {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Whether all streams were checked a moment ago; checks them if not. */
export async function areChecked(): Promise<boolean> {
  if (performance.now() - lastCheck > LONGEST_TRUST) await check();
  return performance.now() - lastCheck <= LONGEST_TRUST;
}

// What was revoked in this process ends at once.
onForget(() => {
  if (streams.size === 0) return;
  const isUnderWay = checking !== undefined;
  const first = check();
  if (isUnderWay) first.then(check);
});

function check(): Promise<void> {
  checking ??= checkAll().finally(() => {
    checking = undefined;
  });
  return checking;
}

async function checkAll(): Promise<void> {
  const started = performance.now();
  const all = [...streams];
  try {
    const present = await presentCallers(all.map(({ credential }) => credential));
    for (const stream of all) {
      if (!isAsBefore(stream, present.get(stream.credential))) stream.end();
    }
    lastCheck = started;
  } catch (error) {
    // Nothing is sent until a check succeeds.
    if (!isUnavailable(error)) log.error("Open streams could not be checked", error);
  }
}

function isAsBefore({ caller, address }: CheckedStream, now: Caller | undefined): boolean {
  return now !== undefined && sightOf(now) === sightOf(caller) && isUsableFrom(address, now.token);
}

function sightOf(caller: Caller): string {
  return JSON.stringify([visibilityOf(caller), isAdmin(caller), caller.token?.limits]);
}
