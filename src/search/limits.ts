// How much one search may take: two seconds in all, its user's share of the connections, and short
// turns of the CPU.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable, NO_ANSWER } from "../../db/errors.ts";
import { LONGEST_SEARCH, SEARCHES_PER_USER } from "../../db/search_limits.ts";
import { semaphore } from "../../db/semaphore.ts";
import { readSnapshot, type SnapshotReading, type StatementMaker } from "../../db/snapshot.ts";
import { isAway } from "../../db/trouble.ts";
import { Refusal } from "../input/errors.ts";

/** The search did not end in time. */
export class TakesTooLong extends Error {
  constructor(message = "This expression takes too long; narrow it down") {
    super(message);
  }
}

/** The search would take too much at any time. */
export class TooMuch extends TakesTooLong {}

// Deadlines, by performance.now() -----------------------------------------------------------------

export function deadline(): number {
  return performance.now() + LONGEST_SEARCH;
}

/** Milliseconds left; throws when there are none. */
export function timeLeft(until: number): number {
  const left = Math.ceil(until - performance.now());
  if (left > 0) return left;
  throw isAway() ? new DatabaseUnavailable(NO_ANSWER) : new TakesTooLong();
}

/**
 * A statement that reads whole tables, on connections of its own, so that other searches do not
 * wait for it.
 */
export function slowSearch<Row>(query: SQL, until: number): Promise<Row[]> {
  return inTime(() => database.slowRows<Row>(query, timeLeft(until)));
}

/** Statements that indexes answer, in one snapshot of the data. */
export function inOneSnapshot<Row>(
  queries: readonly StatementMaker[],
  { until, take }: { until: number; take: SnapshotReading<Row>["take"] },
): Promise<void> {
  return inTime(() =>
    readSnapshot<Row>(queries, { due: performance.now() + timeLeft(until), take }),
  );
}

async function inTime<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isLate = error instanceof DatabaseUnavailable && error.late && !isAway();
    throw isLate ? new TakesTooLong() : error;
  }
}

// Shares: further searches of the same user wait --------------------------------------------------

interface Share {
  semaphore: ReturnType<typeof semaphore>;
  /** Searches that run or wait. */
  active: number;
}

/** A limit to the concurrent work of each user; work of nobody, for which no request waits, is not limited. */
export function sharePerUser(places: number) {
  const shares = new Map<string, Share>();

  return async function withinShare<T>(
    user: string | undefined,
    until: number,
    work: () => Promise<T>,
  ): Promise<T> {
    if (user === undefined) return work();
    const patience = timeLeft(until);
    const share = shares.get(user) ?? { semaphore: semaphore(places, LONGEST_SEARCH), active: 0 };
    shares.set(user, share);
    share.active += 1;
    try {
      const leave = await share.semaphore
        .acquire(patience)
        .catch(() => Promise.reject(tooManySearches()));
      const hasWaited = until - performance.now() < patience - LONG_WAIT;
      return await work()
        .finally(leave)
        .catch((error) => Promise.reject(hasWaited && isLate(error) ? tooManySearches() : error));
    } finally {
      share.active -= 1;
      if (share.active === 0) shares.delete(user);
    }
  };
}

/**
 * For searches on the connections of searches. A search must not start another one before it has
 * ended.
 */
export const withinShare = sharePerUser(SEARCHES_PER_USER);

/**
 * Milliseconds. A search that waited this long is late because of the wait, not because of its
 * query.
 */
const LONG_WAIT = 100;

function isLate(error: unknown): boolean {
  return error instanceof TakesTooLong && !(error instanceof TooMuch);
}

function tooManySearches(): Refusal {
  return new Refusal(503, "Too many of your searches are running; try again shortly", {
    headers: { "Retry-After": "2" },
  });
}

// Turns -------------------------------------------------------------------------------------------

/** Milliseconds of computing before other requests get a turn. */
const TURN = 10;

/** Makes a function to await between two steps of long work. */
export function yieldRegularly(): () => Promise<void> | undefined {
  let until = performance.now() + TURN;
  return () => {
    if (performance.now() < until) return undefined;
    return Bun.sleep(0).then(() => {
      until = performance.now() + TURN;
    });
  };
}
