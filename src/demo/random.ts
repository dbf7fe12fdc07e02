/** Numbers that look random and are the same every time: mulberry32. */
export function generator(seed: number) {
  let state = seed;

  /** From 0 up to, and not including, 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function between(least: number, most: number): number {
    return least + Math.floor(next() * (most - least + 1));
  }

  function pick<T>(from: readonly T[]): T {
    const picked = from[between(0, from.length - 1)];
    if (picked === undefined) throw new Error("There is nothing to pick from");
    return picked;
  }

  return { between, pick };
}

export type Random = ReturnType<typeof generator>;

/** Of a day. */
export const MINUTE = 1 / (24 * 60);
