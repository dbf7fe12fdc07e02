// Waits for commits of change sets. One look at the database serves all that wait, who hold no connection meanwhile.
import { keepDoing } from "../../db/background.ts";
import { onCommit } from "../../db/commits.ts";
import { onOpen } from "../../db/on_open.ts";
import { committedUpToId } from "../store/paging.ts";

interface Wait {
  /** Commits up to this change set are known to it. */
  known: number;
  end: () => void;
}

const waits = new Set<Wait>();
let stopListening: (() => void) | undefined;

/** The database that is open has other change sets. */
onOpen(wakeAll);

let ending = new AbortController();

/** Resolves when change sets after this one may be committed, at the end of the time, or when the signal is given. */
export function untilCommit(
  known: number,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const wait = { known, end };
  const timer = setTimeout(end, Math.max(0, milliseconds));
  signal.addEventListener("abort", end);
  if (signal.aborted) resolve();
  waits.add(wait);
  stopListening ??= onCommit(look);
  // There may have been a commit since it was known.
  look();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    waits.delete(wait);
    if (waits.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  });
}

function wakeAll(): void {
  for (const { end } of [...waits]) end();
}

/** Is aborted when the requests that wait now have to be answered. */
export function endOfWaits(): AbortSignal {
  return ending.signal;
}

/** Ends all waits; one that begins later is not concerned. */
export function endWaits(): void {
  ending.abort();
  ending = new AbortController();
}

const { wake: look } = keepDoing("Commits could not be looked for", lookForCommits);

async function lookForCommits(): Promise<void> {
  if (waits.size === 0) return;
  const committed = await committedUpToId("change_sets");
  for (const one of waits) if (committed !== one.known) one.end();
}
