// The values of one kind, sorted and written one behind the other: those that begin alike stand together. Who looks for
// what is near to a text goes from beginning to longer beginning as long as Lunr's automaton does; distance() has
// the last word.
import { distance, LONGEST_NEAR } from "../language/edit_distance.ts";
import { after, type Nearness, nearTo } from "./near_words.ts";

export interface Index {
  text: string;
  /** Where each value begins, and at last where all end. */
  starts: Uint32Array;
}

const NOTHING: Index = { text: "", starts: new Uint32Array(1) };

/** Sorted values, behind those of an index that come before them. */
export function extended(values: readonly string[], { text, starts } = NOTHING): Index {
  const all = new Uint32Array(starts.length + values.length);
  all.set(starts);
  let end = text.length;
  for (const [at, { length }] of values.entries()) {
    end += length;
    all[starts.length + at] = end;
  }
  const whole = text + values.join("");
  // JavaScriptCore keeps the parts of a text beside it until somebody reads in it.
  whole.charCodeAt(0);
  return { text: whole, starts: all };
}

export function* valuesOf(index: Index): Generator<string> {
  for (let at = 0; at < sizeOf(index); at += 1) yield valueAt(index, at);
}

/** Values that have so many units at their beginning in common, and what these may still become. */
interface Alike {
  from: number;
  to: number;
  units: number;
  nearness: Nearness;
}

/** Tells which of an index are at most so far from a text; what takes its time is done once, however often it is asked. */
export function near(text: string, most: number): (index: Index) => string[] {
  const start = text.length > LONGEST_NEAR ? undefined : nearTo(text, most);
  const known = new WeakMap<Index, string[]>();
  return (index) => {
    const maybe = () => (start ? walked(index, start) : asLong(index, text, most));
    const found =
      known.get(index) ?? maybe().filter((value) => distance(value, text, most) <= most);
    known.set(index, found);
    return found;
  };
}

/** Where a character more or less is one unit or two. */
function asLong(index: Index, { length }: string, most: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < sizeOf(index); at += 1) {
    if (Math.abs(lengthOf(index, at) - length) <= 2 * most) found.push(valueAt(index, at));
  }
  return found;
}

function walked(index: Index, start: Nearness): string[] {
  const found: string[] = [];
  const open: Alike[] = [{ from: 0, to: sizeOf(index), units: 0, nearness: start }];
  for (let some = open.pop(); some; some = open.pop()) {
    const isWhole = lengthOf(index, some.from) === some.units;
    if (isWhole && some.nearness.isEnd) found.push(valueAt(index, some.from));
    for (let from = some.from + (isWhole ? 1 : 0); from < some.to; ) {
      const code = codeAt(index, from, some.units);
      const nearness = after(some.nearness, code);
      const to = endOf(index, { ...some, from });
      if (nearness) open.push({ from, to, units: some.units + (code > 0xffff ? 2 : 1), nearness });
      from = to;
    }
  }
  return found;
}

/** Behind the last that has the next character of the first: looked for further and further, then in between. */
function endOf(index: Index, { from, to, units }: Alike): number {
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

function codeAt({ text, starts }: Index, at: number, units: number): number {
  return text.codePointAt((starts[at] ?? 0) + units) ?? 0;
}

function valueAt({ text, starts }: Index, at: number): string {
  return text.slice(starts[at], starts[at + 1]);
}

/** None behind the last. */
function lengthOf({ starts }: Index, at: number): number {
  return (starts[at + 1] ?? Number.NaN) - (starts[at] ?? 0);
}

function sizeOf({ starts }: Index): number {
  return starts.length - 1;
}
