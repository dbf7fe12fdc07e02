// What a failure cost, from the attempts of the clients.
import type { Attempt, Load } from "./load.ts";

export interface FailureResult {
  name: string;
  movesPrimary: boolean;
  /** By performance.now(). */
  began: number;
  ended: number;
  /** When another node was the primary. */
  replaced: number | undefined;
}

export interface Cost {
  /** Seconds from the failure to the new primary. */
  untilPrimary: number | undefined;
  /** The longest time, in seconds, that the reads of one client failed. */
  reads: number;
  writes: number;
  failedReads: number;
  failedWrites: number;
  /** Seconds from the new primary to the last client that works again. */
  back: number | undefined;
}

export function costOf(result: FailureResult, { reads, writes }: Load): Cost {
  const { began, replaced, movesPrimary } = result;
  const read = outageIn(result, { attempts: reads, good: 200 });
  const written = outageIn(result, { attempts: writes, good: 201 });
  const isMoved = movesPrimary && replaced !== undefined;
  const last = Math.max(read.until, written.until);
  return {
    untilPrimary: isMoved ? (replaced - began) / 1_000 : undefined,
    reads: read.longest,
    writes: written.longest,
    failedReads: read.failed,
    failedWrites: written.failed,
    back: isMoved ? Math.max(0, (last - replaced) / 1_000) : undefined,
  };
}

interface Outage {
  longest: number;
  failed: number;
  /** When the last client worked again. */
  until: number;
}

/** Of each client: from the start of the first attempt that failed to the end of the next one that did not. */
function outageIn(
  { began, ended }: FailureResult,
  { attempts, good }: { attempts: readonly Attempt[]; good: number },
): Outage {
  const during = attempts.filter((one) => one.end >= began && one.start < ended);
  const byClient = Map.groupBy(during, ({ client }) => client);
  const outage = { longest: 0, failed: 0, until: 0 };
  for (const own of byClient.values()) {
    let since: number | undefined;
    for (const { start, end, status } of own) {
      if (status !== good) {
        outage.failed += 1;
        since ??= start;
      } else if (since !== undefined) {
        outage.longest = Math.max(outage.longest, (end - since) / 1_000);
        outage.until = Math.max(outage.until, end);
        since = undefined;
      }
    }
    if (since !== undefined) outage.longest = Math.max(outage.longest, (ended - since) / 1_000);
  }
  return outage;
}

export interface Spread {
  median: number;
  most: number;
}

export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
}
