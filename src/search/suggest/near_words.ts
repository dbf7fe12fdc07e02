// Which texts are nearly a word: Lunr's automaton for it, of which several ways may be open after each character.
// What is open is worked out once, and so is what is open next.
import lunr, { type TokenSet } from "lunr";

export interface Nearness {
  /** What led here may be all of a text that is near. */
  isEnd: boolean;
  ways: readonly TokenSet[];
  next: Map<string, Nearness | undefined>;
  /** By the ways that are open. */
  known: Map<string, Nearness>;
}

/** Before the first character. */
export function nearTo(text: string, distance: number): Nearness {
  const start = through([lunr.TokenSet.fromFuzzyString(plain(text), distance)], new Map());
  return text === "" ? { ...start, isEnd: true } : start;
}

/** Undefined where nothing that goes on like this is near. */
export function after(before: Nearness, code: number): Nearness | undefined {
  const character = code > 0xffff ? ASTRAL : String.fromCharCode(code);
  if (before.next.has(character)) return before.next.get(character);
  const ways = before.ways.flatMap(({ edges }) =>
    [edges[character] ?? [], edges["*"] ?? []].flat(),
  );
  const then = ways.length > 0 ? through(ways, before.known) : undefined;
  before.next.set(character, then);
  return then;
}

function through(ways: readonly TokenSet[], known: Map<string, Nearness>): Nearness {
  const distinct = [...new Map(ways.map((way) => [way.id, way])).values()];
  const name = distinct
    .map(({ id }) => id)
    .sort()
    .join(" ");
  const there = known.get(name) ?? {
    isEnd: distinct.some(({ final }) => final),
    ways: distinct,
    next: new Map(),
    known,
  };
  known.set(name, there);
  return there;
}

/** Lunr counts units: any character of two stands as one. */
const ASTRAL = "\uFFFD";

function plain(text: string): string {
  return text.replace(/[\u{10000}-\u{10FFFF}]/gu, ASTRAL);
}
