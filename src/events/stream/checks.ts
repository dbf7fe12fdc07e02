// Ends streams whose token or session is not valid any more, or whose user sees other records than before; such a reader
// connects again. All streams of this process are checked together.
import { keepDoing, type Loop } from "../../../db/background.ts";
import {
  type Caller,
  type Credential,
  isAdmin,
  onForget,
  presentCallers,
} from "../../auth/auth.ts";
import { isUsableFrom } from "../../auth/token_limits.ts";
import { visibilityOf } from "../../auth/visibility.ts";

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
let checks: Loop | undefined;
let lastCheck = Number.NEGATIVE_INFINITY;
let checking: Promise<void> | undefined;

/** Returns a function that ends the checks of this stream. */
export function keepChecked(stream: CheckedStream): () => void {
  if (streams.size === 0) lastCheck = performance.now();
  streams.add(stream);
  checks ??= keepDoing("Open streams could not be checked", checkAfresh, {
    every: INTERVAL,
  });
  return () => {
    streams.delete(stream);
    if (streams.size > 0) return;
    void checks?.stop();
    checks = undefined;
  };
}

/** Whether all streams were checked a moment ago; checks them if not. */
export async function areChecked(): Promise<boolean> {
  if (performance.now() - lastCheck > LONGEST_TRUST) await check().catch(() => {});
  return performance.now() - lastCheck <= LONGEST_TRUST;
}

// What was revoked in this process ends at once.
onForget(() => checks?.wake());

/** Not a check that began before. */
async function checkAfresh(): Promise<void> {
  await checking?.catch(() => {});
  await check();
}

function check(): Promise<void> {
  checking ??= checkAll().finally(() => {
    checking = undefined;
  });
  return checking;
}

async function checkAll(): Promise<void> {
  const started = performance.now();
  const all = [...streams];
  // If this fails, nothing is sent until a check succeeds.
  const present = await presentCallers(all.map(({ credential }) => credential));
  for (const stream of all) {
    if (!isAsBefore(stream, present.get(stream.credential))) stream.end();
  }
  lastCheck = started;
}

function isAsBefore({ caller, address }: CheckedStream, now: Caller | undefined): boolean {
  return now !== undefined && sightOf(now) === sightOf(caller) && isUsableFrom(address, now.token);
}

function sightOf(caller: Caller): string {
  return JSON.stringify([visibilityOf(caller), isAdmin(caller), caller.token?.limits]);
}
