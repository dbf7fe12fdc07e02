// Long work on the event loop in slices: other requests are served in between.
import { setImmediate } from "node:timers/promises";

/** Milliseconds of one slice. */
const SLICE = 10;

/** As `Array.map`, for lists that are long. */
export async function mapInSlices<From, To>(
  list: Iterable<From>,
  work: (one: From, at: number) => To,
): Promise<To[]> {
  const done: To[] = [];
  let until = performance.now() + SLICE;
  for (const one of list) {
    done.push(work(one, done.length));
    if (performance.now() < until) continue;
    await yieldToOthers();
    until = performance.now() + SLICE;
  }
  return done;
}

/** Yields to other requests. */
export async function yieldToOthers(): Promise<void> {
  await setImmediate();
}
