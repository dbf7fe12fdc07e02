// Requests that wait until there are changes.
import type { Caller } from "../auth/auth.ts";
import type { Reach } from "../auth/token_limits.ts";
import { keepChecked } from "../events/stream/checks.ts";
import { changesAfter, committedChanges, type ReadRequest } from "../history/feed.ts";
import { endOfWaits, untilCommit } from "../history/waiting.ts";
import { contextOf } from "../http/request_context.ts";
import { waitSlots } from "../input/limiters.ts";
import { presentCaller } from "./guard.ts";

type Following = ReadRequest & { after: number };
type FeedChanges = Awaited<ReturnType<typeof changesAfter>>;

/** Milliseconds between two reads of one request, while changes are committed that are not for it. */
const PAUSE = 200;
/** Seconds to read and to send the answer, beyond the wait: a query on a change set of thousands of records takes long. */
const MARGIN = 120;

/** The changes after one. If there are none, it waits for the first ones, and continues with what the caller sees by then. */
export async function changesWithin(
  request: Request,
  caller: Caller,
  { reach, wanted }: { reach: Reach; wanted: Following },
): Promise<FeedChanges> {
  const { wait = 0 } = wanted;
  const end = performance.now() + wait * 1_000;
  contextOf(request).setTimeout?.(wait + MARGIN);
  let known = wait > 0 ? await committedChanges() : 0;
  let found = await changesAfter(caller, wanted);
  if (wait === 0 || found.sets.length > 0) return found;
  const release = waitSlots.take(caller.id);
  const ending = endOfWaits();
  try {
    let current = caller;
    const left = () => end - performance.now();
    while (found.sets.length === 0 && left() > 0 && !request.signal.aborted && !ending.aborted) {
      // What a window of a search leaves out is read at once.
      if (!found.isBehind) {
        current = await waitOnce(request, current, {
          reach,
          known,
          milliseconds: left(),
          ending,
        });
      }
      if (left() <= 0 || ending.aborted) break;
      known = await committedChanges();
      const { cursor } = found;
      found = await changesAfter(current, { ...wanted, after: cursor });
      if (found.sets.length === 0 && !found.isBehind)
        await Bun.sleep(Math.min(PAUSE, Math.max(0, left())));
    }
    return found;
  } finally {
    release();
  }
}

interface OneWait {
  reach: Reach;
  known: number;
  milliseconds: number;
  ending: AbortSignal;
}

/** Until there may be changes, or the rights of the caller are other ones; refused if the token is not valid any more. */
async function waitOnce(
  request: Request,
  caller: Caller,
  { reach, known, milliseconds, ending }: OneWait,
): Promise<Caller> {
  const stop = new AbortController();
  const { credential } = caller;
  const end = () => stop.abort();
  const endChecks = credential
    ? keepChecked({ caller, credential, address: contextOf(request).address, end })
    : () => {};
  const signals = [request.signal, ending];
  for (const signal of signals) signal.addEventListener("abort", end);
  try {
    await untilCommit(known, { milliseconds, signal: stop.signal });
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", end);
    endChecks();
  }
  return request.signal.aborted ? caller : presentCaller(request, reach);
}
