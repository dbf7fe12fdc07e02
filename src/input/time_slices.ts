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

/** Elements between two looks at the clock. */
const FEW = 256;

/** As `Array.forEach`, for lists that are long and work that is short. */
export async function eachInSlices<One>(
  list: ArrayLike<One>,
  work: (one: One, at: number) => void,
) {
  const starts = Array.from({ length: Math.ceil(list.length / FEW) }, (_, at) => at * FEW);
  await mapInSlices(starts, (from) => {
    const to = Math.min(from + FEW, list.length);
    for (let at = from; at < to; at += 1) work(list[at] as One, at);
  });
}

/** Yields to other requests. */
export async function yieldToOthers(): Promise<void> {
  await setImmediate();
}
