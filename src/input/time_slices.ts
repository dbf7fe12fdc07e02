// Long work on the event loop, a slice at a time: others are served in between.
import { setImmediate } from "node:timers/promises";

/** Milliseconds of work between two turns of the others. */
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
    await letOthers();
    until = performance.now() + SLICE;
  }
  return done;
}

/** Others that wait are served first. */
export async function letOthers(): Promise<void> {
  await setImmediate();
}
