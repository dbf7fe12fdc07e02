// What this process knows about a server that may have to be replaced: see failover.ts. With one server it knows nothing.
import { DatabaseUnavailable } from "./errors.ts";

/** Milliseconds without an answer of a server that is asked each second. */
const LONGEST_SILENCE = 1_500;
/** Milliseconds in which searches end that waited for the new server. */
const AFTERMATH = 3_000;

let report: (() => void) | undefined;
/** While it is unknown which server to use. */
let unknown: PromiseWithResolvers<void> | undefined;
/** When that was known again, by performance.now(). */
let known = Number.NEGATIVE_INFINITY;
let lastAnswer = 0;

/** Calls the listener when a connection was lost or refused a write; requests then wait for resume(). */
export function onTrouble(listener: (() => void) | undefined): void {
  report = listener;
  noteAnswer();
  resume();
}

/** Requests wait for a short time, because the server may have to be replaced. */
export function suspend(): void {
  unknown ??= Promise.withResolvers();
}

/** The server is the right one, again or since open(). */
export function resume(): void {
  if (unknown) known = performance.now();
  unknown?.resolve();
  unknown = undefined;
}

/** Undefined where requests need not wait. */
export function untilKnown(patience: number): Promise<void> | undefined {
  return unknown && Promise.race([unknown.promise, Bun.sleep(patience)]);
}

/** The server has answered the question of each second. */
export function noteAnswer(): void {
  lastAnswer = performance.now();
}

/** The server is or was just replaced, or does not answer. */
export function isAway(): boolean {
  if (!report) return false;
  const now = performance.now();
  return unknown !== undefined || now - lastAnswer > LONGEST_SILENCE || now - known < AFTERMATH;
}

export function noteTrouble(error: unknown): void {
  if (!report || !(error instanceof DatabaseUnavailable)) return;
  if (!error.broken && !error.onlyReads) return;
  suspend();
  report();
}
