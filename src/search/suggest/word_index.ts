// One word list in memory: sorted values, written one after the other, so that values with the same
// beginning stand together. Similar values are found by following Lunr's automaton along shared
// beginnings; distance() has the last word.
import lunr, { type TokenSet } from "lunr";
import { distance, LONGEST_FUZZY } from "../language/words.ts";

export interface WordIndex {
  text: string;
  /** The start of each value in `text`, and the end of the last one. */
  starts: Uint32Array;
}

const NOTHING: WordIndex = { text: "", starts: new Uint32Array(1) };

/** An index with further values, which are sorted and come after all others. */
export function extended(values: readonly string[], { text, starts } = NOTHING): WordIndex {
  const all = new Uint32Array(starts.length + values.length);
  all.set(starts);
  let end = text.length;
  for (const [at, { length }] of values.entries()) {
    end += length;
    all[starts.length + at] = end;
  }
  const whole = text + values.join("");
  // JavaScriptCore keeps the parts of a concatenated text in memory until it is read.
  whole.charCodeAt(0);
  return { text: whole, starts: all };
}

export function* indexedValues(index: WordIndex): Generator<string> {
  for (let at = 0; at < sizeOf(index); at += 1) yield valueAt(index, at);
}

/**
 * Values from `from` to `to` that share their first `units` code units, and the state of the
 * automaton after them.
 */
interface Branch {
  from: number;
  to: number;
  units: number;
  state: AutomatonState;
}

/**
 * Makes a function that finds the values within a distance of a text; the automaton and results are
 * computed once.
 */
export function similarTo(text: string, most: number): (index: WordIndex) => string[] {
  const start = text.length > LONGEST_FUZZY ? undefined : automatonOf(text, most);
  const known = new WeakMap<WordIndex, string[]>();
  return (index) => {
    const candidates = () => (start ? walk(index, start) : ofSimilarLength(index, text, most));
    const found =
      known.get(index) ?? candidates().filter((value) => distance(value, text, most) <= most);
    known.set(index, found);
    return found;
  };
}

/** A character is one code unit or two. */
function ofSimilarLength(index: WordIndex, { length }: string, most: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < sizeOf(index); at += 1) {
    if (Math.abs(lengthOf(index, at) - length) <= 2 * most) found.push(valueAt(index, at));
  }
  return found;
}

/** Follows the automaton from shared beginning to longer shared beginning. */
function walk(index: WordIndex, start: AutomatonState): string[] {
  const found: string[] = [];
  const open: Branch[] = [{ from: 0, to: sizeOf(index), units: 0, state: start }];
  for (let some = open.pop(); some; some = open.pop()) {
    const isWhole = lengthOf(index, some.from) === some.units;
    if (isWhole && some.state.isEnd) found.push(valueAt(index, some.from));
    for (let from = some.from + (isWhole ? 1 : 0); from < some.to; ) {
      const code = codeAt(index, from, some.units);
      const state = stateAfter(some.state, code);
      const to = endOf(index, { ...some, from });
      if (state) open.push({ from, to, units: some.units + (code > 0xffff ? 2 : 1), state });
      from = to;
    }
  }
  return found;
}

/**
 * The end of the values that continue with the same character as the first, by galloping and binary
 * search.
 */
function endOf(index: WordIndex, { from, to, units }: Branch): number {
  const code = codeAt(index, from, units);
  let [inside, outside] = [from, from + 1];
  while (outside < to && codeAt(index, outside, units) === code) {
    inside = outside;
    outside += outside - from;
  }
  outside = Math.min(outside, to);
  while (outside - inside > 1) {
    const middle = (inside + outside) >>> 1;
    if (codeAt(index, middle, units) === code) inside = middle;
    else outside = middle;
  }
  return outside;
}

function codeAt({ text, starts }: WordIndex, at: number, units: number): number {
  return text.codePointAt((starts[at] ?? 0) + units) ?? 0;
}

function valueAt({ text, starts }: WordIndex, at: number): string {
  return text.slice(starts[at], starts[at + 1]);
}

/** NaN after the last value. */
function lengthOf({ starts }: WordIndex, at: number): number {
  return (starts[at + 1] ?? Number.NaN) - (starts[at] ?? 0);
}

function sizeOf({ starts }: WordIndex): number {
  return starts.length - 1;
}

// Lunr's automaton of a text, with several nodes open after each character ------------------------

interface AutomatonState {
  /** The characters so far may be a whole similar text. */
  isEnd: boolean;
  nodes: readonly TokenSet[];
  next: Map<string, AutomatonState | undefined>;
  /** All states, by their nodes. */
  known: Map<string, AutomatonState>;
}

/** The state before the first character. */
function automatonOf(text: string, distance: number): AutomatonState {
  const start = stateOf([lunr.TokenSet.fromFuzzyString(toSingleUnits(text), distance)], new Map());
  return text === "" ? { ...start, isEnd: true } : start;
}

/** Undefined if no similar text continues like this. */
function stateAfter(before: AutomatonState, code: number): AutomatonState | undefined {
  const character = code > 0xffff ? ASTRAL : String.fromCharCode(code);
  if (before.next.has(character)) return before.next.get(character);
  const nodes = before.nodes.flatMap(({ edges }) =>
    [edges[character] ?? [], edges["*"] ?? []].flat(),
  );
  const then = nodes.length > 0 ? stateOf(nodes, before.known) : undefined;
  before.next.set(character, then);
  return then;
}

function stateOf(nodes: readonly TokenSet[], known: Map<string, AutomatonState>): AutomatonState {
  const distinct = [...new Map(nodes.map((way) => [way.id, way])).values()];
  const name = distinct
    .map(({ id }) => id)
    .sort()
    .join(" ");
  const there = known.get(name) ?? {
    isEnd: distinct.some(({ final }) => final),
    nodes: distinct,
    next: new Map(),
    known,
  };
  known.set(name, there);
  return there;
}

/** Lunr counts code units, so one character stands for all that have two. */
const ASTRAL = "\uFFFD";

function toSingleUnits(text: string): string {
  return text.replace(/[\u{10000}-\u{10FFFF}]/gu, ASTRAL);
}
