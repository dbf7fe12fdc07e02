// A fair queue for expensive work: each client has a lane, and lanes are served in turn.
import { tooMany } from "../input/errors.ts";

interface QueueLimits {
  /** Concurrent work: in total and for one client. */
  running: number;
  runningPerClient: number;
  /** Maximum length of the queue: in total and for one client. */
  waiting: number;
  waitingPerClient: number;
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

const RETRY_AFTER = 5;

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
    if (lane.length >= limits.waitingPerClient) throw refusal();
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
    if (!heaviest || heaviest.weight <= needed) throw refusal();
    const last = heaviest.lane.pop();
    if (heaviest.lane.length === 0) lanes.delete(heaviest.client);
    waiting -= 1;
    last?.refuse(refusal());
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

function refusal(): Error {
  return tooMany(RETRY_AFTER, "Too many people log in at once; try again shortly");
}
