// Everything that works in the background, in loops or once, works under this supervisor: what it throws is logged, and
// a loop goes on after a pause. So nothing that happens to the database ends the process.
import { messageIn } from "./errors.ts";

/** Milliseconds after a failure; twice as long after each further one, up to the usual interval. */
const AFTER_FAILURE = 1_000;

type LogFailure = (what: string, error: unknown, facts: object) => void;

let report: LogFailure = (what, error) => process.emitWarning(`${what}: ${messageIn(error)}`);

/** The log, which is above this layer. */
export function onFailure(log: LogFailure): void {
  report = log;
}

export interface Loop {
  /** There is work: now, or as soon as its options allow. During the work, it is done once more. */
  wake: () => void;
  /** Resolves when no work is under way any more. */
  stop: () => Promise<void>;
}

export interface LoopOptions {
  /** Milliseconds until the work is done without being woken; never, if undefined. */
  every?: number;
  /** Milliseconds between the end of the work and its next begin. */
  apart?: number;
}

/** What failed last, by loop: an outage is reported once, not each second, until the work succeeds again. */
const failures = new Map<string, string>();

/** Work that is done again and again, never twice at a time. `what` is logged when it fails. */
export function keepDoing(
  what: string,
  work: () => unknown,
  { every, apart = 0 }: LoopOptions = {},
): Loop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  let earliest = 0;
  let afterFailure = AFTER_FAILURE;

  function wake(): void {
    isWanted = true;
    if (!running) beginIn(earliest - performance.now());
  }

  function beginIn(delay: number): void {
    clearTimeout(timer);
    if (isStopped) return;
    if (delay > 0) timer = setTimeout(begin, delay);
    else begin();
  }

  function begin(): void {
    isWanted = false;
    running = attempt().then((pause) => {
      running = undefined;
      earliest = performance.now() + pause;
      if (isWanted) beginIn(pause);
      else if (every !== undefined) beginIn(Math.max(every, pause));
    });
  }

  /** The milliseconds to pause afterwards. */
  async function attempt(): Promise<number> {
    try {
      await work();
      failures.delete(what);
      afterFailure = AFTER_FAILURE;
      return apart;
    } catch (error) {
      isWanted = true;
      const message = messageIn(error);
      if (failures.get(what) !== message) report(what, error, {});
      failures.set(what, message);
      const pause = Math.max(afterFailure, apart);
      afterFailure = Math.max(AFTER_FAILURE, Math.min(2 * afterFailure, every ?? 0));
      return pause;
    }
  }

  if (every !== undefined) beginIn(every);
  return {
    wake,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Work that nobody waits for, or whose failure concerns nobody who does. */
export function inBackground(
  what: string,
  work: Promise<unknown>,
  facts: object = {},
): Promise<void> {
  return work.then(
    () => {},
    (error) => report(what, error, facts),
  );
}
