// How much may be done at a time, or within a time, in one process. Their numbers are in limits.ts. What the database
// counts, for all processes together, is limited where it is counted: failed logins in user/throttle.ts, refusals that
// reveal something in auth/probing.ts.
import { availableParallelism } from "node:os";
import { Refusal, tooMany } from "./errors.ts";
import {
  LONGEST_ARRIVAL,
  MOST_ARRIVING,
  MOST_LIST_FILES,
  MOST_LIST_FILES_OF_USER,
  MOST_PROVIDERS,
  MOST_READINGS,
  MOST_STREAMS,
  MOST_STREAMS_OF_USER,
  MOST_WAITING_LOGINS,
  MOST_WAITING_LOGINS_OF_ONE,
  MOST_WAITING_READINGS,
  MOST_WAITS,
  MOST_WAITS_OF_USER,
} from "./limits.ts";

// Kinds ------------------------------------------------------------------------------------------

/** A number at once, and then one in each interval. */
export interface Rate {
  burst: number;
  /** Milliseconds until one more is allowed. */
  interval: number;
}

export function tokenBucket(
  { burst, interval }: Rate,
  now: () => number = () => performance.now(),
) {
  let available = burst;
  let updatedAt = now();
  return {
    /** Takes one if it is allowed now. */
    take(): boolean {
      available = Math.min(burst, available + (now() - updatedAt) / interval);
      updatedAt = now();
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}

interface SlotLimits {
  ofUser: number;
  inAll: number;
  /** Seconds after which to try again. */
  retryAfter: number;
  /** What a user is told who has too many. */
  forUser: string;
  /** What everybody is told when all slots are taken. */
  forAll: string;
}

export interface Slots {
  /** Takes a slot, or refuses. Returns a function that gives it back, to be called once. */
  take(user: number | string | null): () => void;
}

/** Slots for requests that stay open for long: so many of one user or address, and so many in this process. */
export function slots({ ofUser, inAll, retryAfter, forUser, forAll }: SlotLimits): Slots {
  const takenBy = new Map<number | string | null, number>();
  let taken = 0;
  return {
    take: (user) => {
      const own = takenBy.get(user) ?? 0;
      if (own >= ofUser) throw tooMany(retryAfter, forUser);
      if (taken >= inAll) {
        throw busy(retryAfter, forAll);
      }
      takenBy.set(user, own + 1);
      taken += 1;
      return () => {
        taken -= 1;
        const left = (takenBy.get(user) ?? 1) - 1;
        if (left > 0) takenBy.set(user, left);
        else takenBy.delete(user);
      };
    },
  };
}

interface QueueLimits {
  /** Concurrent work: in total and for one client. */
  running: number;
  runningPerClient: number;
  /** Maximum length of the queue: in total and for one client. */
  waiting: number;
  waitingPerClient: number;
  /** Who finds no place in it. */
  refusal: () => Refusal;
}

export interface Turn {
  client: string;
  /** A known user has logged in from this client before: preferred when the queue is full. */
  isPreferred: boolean;
}

interface QueueEntry {
  isPreferred: boolean;
  start: () => void;
  refuse: (reason: Error) => void;
}

/** A queue for expensive work: each client has a lane, and lanes are served in turn. */
export function fairQueue(limits: QueueLimits) {
  const running = new Map<string, number>();
  /** In the order in which they are served. */
  const lanes = new Map<string, QueueEntry[]>();
  let waiting = 0;
  let free = limits.running;

  function mayStart(client: string): boolean {
    return free > 0 && (running.get(client) ?? 0) < limits.runningPerClient;
  }

  function start(client: string): void {
    free -= 1;
    running.set(client, (running.get(client) ?? 0) + 1);
  }

  function finish(client: string): void {
    free += 1;
    const left = (running.get(client) ?? 1) - 1;
    if (left > 0) running.set(client, left);
    else running.delete(client);
    const next = [...lanes.keys()].find(mayStart);
    if (next !== undefined) startNextOf(next);
  }

  function startNextOf(client: string): void {
    const lane = lanes.get(client) ?? [];
    const [next, ...rest] = lane;
    lanes.delete(client);
    if (rest.length > 0) lanes.set(client, rest);
    if (!next) return;
    waiting -= 1;
    start(client);
    next.start();
  }

  function queue({ client, isPreferred }: Turn): Promise<void> {
    const lane = lanes.get(client) ?? [];
    if (lane.length >= limits.waitingPerClient) throw limits.refusal();
    if (waiting >= limits.waiting) makeRoom(weight(lane.length + 1, isPreferred));
    return new Promise((resolve, reject) => {
      lanes.set(client, [...lane, { isPreferred, start: resolve, refuse: reject }]);
      waiting += 1;
    });
  }

  /** Refuses the last entry of the heaviest lane, if the new one makes a lighter lane. */
  function makeRoom(needed: number): void {
    const weights = [...lanes].map(([client, lane]) => ({ client, lane, weight: weightOf(lane) }));
    const heaviest = weights.toSorted((one, other) => other.weight - one.weight)[0];
    if (!heaviest || heaviest.weight <= needed) throw limits.refusal();
    const last = heaviest.lane.pop();
    if (heaviest.lane.length === 0) lanes.delete(heaviest.client);
    waiting -= 1;
    last?.refuse(limits.refusal());
  }

  /** Does the work when it is this client's turn, or refuses it if the queue is full. */
  return async function inTurn<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (mayStart(turn.client)) start(turn.client);
    else await queue(turn);
    try {
      return await work();
    } finally {
      finish(turn.client);
    }
  };
}

function weightOf(lane: QueueEntry[]): number {
  return weight(lane.length, lane.at(-1)?.isPreferred ?? false);
}

/** Twice the length; a preferred lane is lighter than another one of the same length. */
function weight(length: number, isPreferred: boolean): number {
  return 2 * length - (isPreferred ? 1 : 0);
}

// Of requests and streams ------------------------------------------------------------------------

/** Seconds. */
const RETRY_AFTER = 5;

function busy(retryAfter: number, message: string): Refusal {
  return new Refusal(503, message, { headers: { "Retry-After": String(retryAfter) } });
}

export const arrivals = slots({
  ofUser: MOST_ARRIVING,
  inAll: Number.POSITIVE_INFINITY,
  retryAfter: LONGEST_ARRIVAL,
  forUser: "Too many requests from this address have not arrived yet; try again shortly",
  forAll: "",
});

export const waitSlots = slots({
  ofUser: MOST_WAITS_OF_USER,
  inAll: MOST_WAITS,
  retryAfter: RETRY_AFTER,
  forUser: `Wait with at most ${MOST_WAITS_OF_USER} requests at a time`,
  forAll: "Too many requests wait for changes; try again later",
});

export const streamSlots = slots({
  ofUser: MOST_STREAMS_OF_USER,
  inAll: MOST_STREAMS,
  retryAfter: 10,
  forUser: `Open at most ${MOST_STREAMS_OF_USER} streams at a time`,
  forAll: "Too many streams are open; try again later",
});

export const fileSlots = slots({
  ofUser: MOST_LIST_FILES_OF_USER,
  inAll: MOST_LIST_FILES,
  retryAfter: RETRY_AFTER,
  forUser: `Read at most ${MOST_LIST_FILES_OF_USER} lists as files at a time`,
  forAll: "Too many lists are sent as files; try again later",
});

/** Of threads that read long inputs of one kind. */
export function readingQueue(message: string) {
  const inTurn = fairQueue({
    running: MOST_READINGS,
    runningPerClient: MOST_READINGS,
    waiting: MOST_WAITING_READINGS,
    waitingPerClient: MOST_WAITING_READINGS,
    refusal: () => busy(RETRY_AFTER, message),
  });
  return <T>(work: () => Promise<T>) => inTurn({ client: "all", isPreferred: false }, work);
}

// Of logins --------------------------------------------------------------------------------------

function loginQueue(limits: Pick<QueueLimits, "running" | "runningPerClient">) {
  return fairQueue({
    ...limits,
    waiting: MOST_WAITING_LOGINS,
    waitingPerClient: MOST_WAITING_LOGINS_OF_ONE,
    refusal: () => tooMany(RETRY_AFTER, "Too many people log in at once; try again shortly"),
  });
}

const HASHES = Math.min(8, Math.ceil(availableParallelism() / 2));

/**
 * Limits concurrent hashing. Attempts count as failed until they succeed, so one client may run far fewer at a time than
 * the failures that user/throttle.ts allows, also with several workers.
 */
export const inHashQueue = loginQueue({ running: HASHES, runningPerClient: Math.min(2, HASHES) });

/** Not in the queue of password hashes: a directory that hangs must not stop logins by local passwords. */
export const inDirectoryQueue = loginQueue({
  running: 4 * availableParallelism(),
  runningPerClient: 2,
});

type LoginQueue = ReturnType<typeof loginQueue>;

const providerQueues = new Map<string, LoginQueue>();

/** Each provider has a queue of its own: one that hangs must not stop logins by another. */
export function queueOfProvider(key: string): LoginQueue {
  const known = providerQueues.get(key);
  if (known) return known;
  const queue = loginQueue({ running: 16, runningPerClient: 8 });
  if (providerQueues.size >= MOST_PROVIDERS) providerQueues.clear();
  providerQueues.set(key, queue);
  return queue;
}

// Of entries in the audit log that anybody can cause: a year of attacks adds less than a gigabyte -----

export const ENTRIES_OF_STRANGERS: Rate = { burst: 1_000, interval: 10_000 };
