// How many characters one text is from another: changed, left out, put in, or two neighbours swapped.

/** What texts are compared with, by code points, and how far they may be from it. */
export interface Target {
  codes: readonly number[];
  most: number;
}

/** How far a text is from those beginnings of the target that are about as long. */
export interface Row {
  length: number;
  last: number | undefined;
  /** From the beginning that is shorter by `most`, to the one that is longer by `most`. */
  far: readonly number[];
  least: number;
  /** Of the text without its last character. */
  before: Row | undefined;
}

const FARTHEST = Number.POSITIVE_INFINITY;

/** By code points; `most + 1` if it is more than that, found out as soon as it is certain. */
export function distance(one: string, other: string, most: number): number {
  const target = targetOf(other, most);
  let row = beginning(target);
  for (const character of one) {
    row = longer(row, character.codePointAt(0) ?? 0, target);
    if (isTooFar(row, target)) return most + 1;
  }
  return distanceOf(row, target);
}

export function targetOf(text: string, most: number): Target {
  return { codes: Array.from(text, (character) => character.codePointAt(0) ?? 0), most };
}

/** Of the empty text. */
export function beginning({ most }: Target): Row {
  const far = Array.from({ length: 2 * most + 1 }, (_, at) => (at < most ? FARTHEST : at - most));
  return { length: 0, last: undefined, far, least: 0, before: undefined };
}

/** Of the text with one more character. What is at one place in two rows is one character apart in the target. */
export function longer(before: Row, last: number, { codes, most }: Target): Row {
  const length = before.length + 1;
  const far: number[] = [];
  let least = FARTHEST;
  let previous = FARTHEST;
  for (let at = 0; at <= 2 * most; at += 1) {
    const column = length - most + at;
    const changed = (before.far[at] ?? FARTHEST) + (codes[column - 1] === last ? 0 : 1);
    const isSwap = codes[column - 1] === before.last && codes[column - 2] === last;
    const swapped = isSwap ? (before.before?.far[at] ?? FARTHEST) + 1 : FARTHEST;
    previous = Math.min(changed, swapped, (before.far[at + 1] ?? FARTHEST) + 1, previous + 1);
    far.push(previous);
    least = Math.min(least, previous);
  }
  return { length, last, far, least, before };
}

/** Whatever follows. */
export function isTooFar({ least, before }: Row, { most }: Target): boolean {
  return least > most && (before?.least ?? most) >= most;
}

/** Of all of the text from all of the target. */
export function distanceOf({ far, length }: Row, { codes, most }: Target): number {
  return Math.min(far[codes.length - length + most] ?? FARTHEST, most + 1);
}
