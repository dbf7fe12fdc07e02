// The values of one kind, ready to be asked which of them are nearly a word or match an expression. Lunr's automaton
// finds what is near in a time that does not grow with their number; distance() has the last word.
import lunr, { type TokenSet } from "lunr";
import { distance } from "./distance.ts";
import { readRegex } from "./lucene_regex.ts";
import { matcher } from "./regex_match.ts";

export type Test =
  | { kind: "near"; text: string; distance: number }
  | { kind: "matching"; regex: string };

export interface Index {
  values: readonly string[];
  automaton: TokenSet;
  /** What it does not take, by length: long texts, and the empty one. */
  others: ReadonlyMap<number, readonly string[]>;
  /** What stands in it for characters of two units, and the values that these are. */
  astral: ReadonlyMap<string, readonly string[]>;
}

/** Longer ones are few of each length, and would make the automaton large. */
const LONGEST = 48;

export function indexOf(values: readonly string[]): Index {
  const isShort = ({ length }: string) => length > 0 && length <= LONGEST;
  const short = values.filter(isShort);
  const words = [...new Set(short.map(plain))].sort();
  return {
    values,
    automaton: lunr.TokenSet.fromArray(words),
    others: Map.groupBy(
      values.filter((value) => !isShort(value)),
      lengthOf,
    ),
    astral: Map.groupBy(
      short.filter((value) => plain(value) !== value),
      plain,
    ),
  };
}

export function tester(test: Test): (value: string) => boolean {
  if (test.kind === "near") {
    const { text, distance: most } = test;
    return (value) => distance(value, text, most) <= most;
  }
  const regex = readRegex(test.regex);
  return regex ? matcher(regex) : () => false;
}

/** All that can pass, and more. */
export function candidates(index: Index, test: Test): readonly string[] {
  if (test.kind === "matching") return index.values;
  const { text, distance: most } = test;
  const lengths = Array.from({ length: 2 * most + 1 }, (_, at) => lengthOf(text) - most + at);
  const others = lengths.flatMap((length) => index.others.get(length) ?? []);
  return text.length - 2 * most > LONGEST ? others : [...near(index, plain(text), most), ...others];
}

function near({ automaton, astral }: Index, text: string, most: number): string[] {
  const found = automaton.intersect(lunr.TokenSet.fromFuzzyString(text, most)).toArray();
  return found.flatMap((word) => [word, ...(astral.get(word) ?? [])]);
}

/** The automaton counts units: a character of two stands in it as one, whichever it is. */
function plain(value: string): string {
  return value.replace(/[\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}

function lengthOf(value: string): number {
  return [...value].length;
}
