// Parses long input in worker threads, so that other requests are served meanwhile. Each thread serves one task, has a
// limited time, and few run at once.
import { type FieldError, Refusal } from "./errors.ts";
import { readingQueue } from "./limiters.ts";

/** The message that a thread sends back. */
type ThreadResult<Result> =
  | { is: "read"; result: Result }
  | { is: "refused"; status: number; message: string; errors: FieldError[] }
  | { is: "failed"; why: string };

interface Task<Order> {
  order: Order;
  /** Milliseconds. */
  patience: number;
  /** Memory that the thread takes over. */
  transfer?: ArrayBuffer[];
}

/** The thread took longer than its time. */
export class TookTooLong extends Error {}

/** The threads of one kind: each serves one task and is terminated after its answer. */
export class Threads<Order, Result> {
  readonly #inTurn;

  /** `start` creates the worker: its URL is relative to the file that names it, where `npm run build` finds it. */
  constructor(
    readonly start: () => Worker,
    busy: string,
  ) {
    this.#inTurn = readingQueue(busy);
  }

  /** Throws the refusals of the thread, TookTooLong, and an error where the thread fails. */
  async read(task: Task<Order>): Promise<Result> {
    return this.#inTurn(async () => resultOf(await this.#ask(task)));
  }

  #ask({ order, patience, transfer = [] }: Task<Order>): Promise<ThreadResult<Result>> {
    const worker = this.start();
    const { promise, resolve, reject } = Promise.withResolvers<ThreadResult<Result>>();
    const timer = setTimeout(() => reject(new TookTooLong()), patience);
    worker.onmessage = ({ data }: MessageEvent<ThreadResult<Result>>) => resolve(data);
    worker.onerror = ({ message }) => resolve({ is: "failed", why: message });
    worker.postMessage(order, transfer);
    return promise.finally(() => {
      clearTimeout(timer);
      worker.terminate();
    });
  }
}

function resultOf<Result>(outcome: ThreadResult<Result>): Result {
  if (outcome.is === "read") return outcome.result;
  if (outcome.is === "failed") throw new Error(outcome.why);
  throw new Refusal(outcome.status, outcome.message, { errors: outcome.errors });
}

/** In the thread: the result of the work, or its refusal or error. */
export async function outcomeOf<Result>(
  work: () => Result | Promise<Result>,
): Promise<ThreadResult<Result>> {
  try {
    return { is: "read", result: await work() };
  } catch (error) {
    if (!(error instanceof Refusal)) return { is: "failed", why: String(error) };
    const { status, message, errors } = error;
    return { is: "refused", status, message, errors };
  }
}
