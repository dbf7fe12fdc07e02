// The other side of vocabulary_worker.ts: gives it orders, and takes what it tells.
import { TakesTooLong, TooMuch } from "../limits/takes_too_long.ts";
import type { Asked, Order, Told } from "./vocabulary_worker.ts";

export interface Thread {
  ask(order: Order, patience: number): Promise<string[][]>;
  /** Its memory is lost. */
  isGone: boolean;
}

interface Waiting {
  tell: (passed: string[][]) => void;
  fail: (fault: Error) => void;
}

/** Past its patience it gives up by itself; one value alone may keep it so much longer, and then it is ended. */
const GRACE = 1_000;

export function start(): Thread {
  const worker = new Worker(new URL("./vocabulary_worker.ts", import.meta.url).href, ASIDE);
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  const thread: Thread = { ask, isGone: false };

  async function ask(order: Order, patience: number): Promise<string[][]> {
    if (thread.isGone) throw new TakesTooLong();
    asked += 1;
    const question: Asked = { number: asked, order };
    const { promise, resolve, reject } = Promise.withResolvers<string[][]>();
    waiting.set(question.number, { tell: resolve, fail: reject });
    worker.postMessage(question);
    const timer = setTimeout(() => {
      reject(new TakesTooLong());
      setTimeout(() => waiting.has(question.number) && end(new TakesTooLong()), GRACE);
    }, patience);
    return promise.finally(() => clearTimeout(timer));
  }

  function end(fault: Error): void {
    thread.isGone = true;
    worker.terminate();
    for (const { fail } of waiting.values()) fail(fault);
    waiting.clear();
  }

  worker.onmessage = ({ data: { number, passed, isMore, fault } }: MessageEvent<Told>) => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (passed) one?.tell(passed);
    else if (isMore) one?.fail(new TooMuch());
    else one?.fail(fault === undefined ? new TakesTooLong() : new Error(fault));
  };
  worker.onerror = ({ message }) => end(new Error(`The vocabulary has failed: ${message}`));
  return thread;
}

/** A program ends though it is there; and it sweeps more often, which costs nothing that could be measured. */
const ASIDE: WorkerOptions & { ref: boolean } = { ref: false, smol: true };
