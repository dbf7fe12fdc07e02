// Lucene's regular expressions: `~` not, `&` and, `@` any text, `#` nothing, `"…"` as it stands, `<1-10>` a number.
// A backslash takes the meaning from a sign and gives none to a letter: `\d` is d.
import { numbers } from "./regex_numbers.ts";
import {
  EMPTY,
  type Factory,
  factory,
  NOTHING,
  type Regex,
  type Span,
  TooComplex,
} from "./regex_tree.ts";

interface Cursor {
  /** By code points. */
  source: string[];
  at: number;
  make: Factory;
}

class Malformed extends Error {}

export interface LuceneRegex {
  tree: Regex;
  make: Factory;
}

/** Undefined where it cannot be read; such an expression finds nothing. */
export function readRegex(source: string): LuceneRegex | undefined {
  const cursor: Cursor = { source: [...source], at: 0, make: factory() };
  try {
    const tree = source === "" ? EMPTY : readUnion(cursor);
    return cursor.at === cursor.source.length ? { tree, make: cursor.make } : undefined;
  } catch (fault) {
    if (fault instanceof Malformed || fault instanceof TooComplex) return undefined;
    throw fault;
  }
}

export function any({ one }: Factory): Regex {
  return one([], true);
}

function readUnion(cursor: Cursor): Regex {
  const parts = [readIntersection(cursor)];
  while (skip(cursor, "|")) parts.push(readIntersection(cursor));
  return cursor.make.union(parts);
}

function readIntersection(cursor: Cursor): Regex {
  const parts = [readSequence(cursor)];
  while (skip(cursor, "&")) parts.push(readSequence(cursor));
  return cursor.make.intersection(parts);
}

/** The first part is read whatever stands there: a sign where none can be is itself. */
function readSequence(cursor: Cursor): Regex {
  const parts = [readRepeated(cursor)];
  while (more(cursor) && !sees(cursor, ")|&")) parts.push(readRepeated(cursor));
  return parts.reduceRight((rest, part) => cursor.make.sequence(part, rest), EMPTY);
}

function readRepeated(cursor: Cursor): Regex {
  const { repeat } = cursor.make;
  let regex = readComplement(cursor);
  for (;;) {
    if (skip(cursor, "?")) regex = repeat(regex, 0, 1);
    else if (skip(cursor, "*")) regex = repeat(regex, 0);
    else if (skip(cursor, "+")) regex = repeat(regex, 1);
    else if (skip(cursor, "{")) regex = readCount(cursor, regex);
    else return regex;
  }
}

function readCount(cursor: Cursor, regex: Regex): Regex {
  const least = readNumber(cursor);
  if (least === undefined) throw new Malformed();
  const most = skip(cursor, ",") ? readNumber(cursor) : least;
  need(cursor, "}");
  return cursor.make.repeat(regex, least, most);
}

const GREATEST = 2_147_483_647;

function readNumber(cursor: Cursor): number | undefined {
  let digits = "";
  while (more(cursor) && sees(cursor, "0123456789")) digits += next(cursor);
  if (Number(digits) > GREATEST) throw new Malformed();
  return digits === "" ? undefined : Number(digits);
}

function readComplement(cursor: Cursor): Regex {
  let isNegated = false;
  while (skip(cursor, "~")) isNegated = !isNegated;
  const regex = readSimple(cursor);
  return isNegated ? cursor.make.complement(regex) : regex;
}

function readSimple(cursor: Cursor): Regex {
  const { make } = cursor;
  if (skip(cursor, "[")) return readClass(cursor);
  if (skip(cursor, ".")) return any(make);
  if (skip(cursor, "#")) return NOTHING;
  if (skip(cursor, "@")) return make.repeat(any(make), 0);
  if (skip(cursor, '"')) return literally(cursor, until(cursor, '"'));
  if (skip(cursor, "(")) return readGroup(cursor);
  if (skip(cursor, "<")) return readInterval(cursor);
  return literally(cursor, [readCharacter(cursor)]);
}

function readGroup(cursor: Cursor): Regex {
  if (skip(cursor, ")")) return EMPTY;
  const regex = readUnion(cursor);
  need(cursor, ")");
  return regex;
}

/** Only the closing bracket and the backslash are special in it. */
function readClass(cursor: Cursor): Regex {
  const isNegated = skip(cursor, "^");
  const spans: Span[] = [];
  do {
    const from = codeOf(readCharacter(cursor));
    const to = skip(cursor, "-") ? codeOf(readCharacter(cursor)) : from;
    if (to < from) throw new Malformed();
    spans.push([from, to]);
  } while (more(cursor) && !sees(cursor, "]"));
  need(cursor, "]");
  return cursor.make.one(spans, isNegated);
}

const INTERVAL = /^(\d+)-(\d+)$/;

/** Both ends of one length ask for numbers of that length. */
function readInterval(cursor: Cursor): Regex {
  const [, one = "", other = ""] = INTERVAL.exec(until(cursor, ">").join("")) ?? [];
  if (one === "" || Number(one) > GREATEST || Number(other) > GREATEST) throw new Malformed();
  const [least = 0, most = 0] = [Number(one), Number(other)].toSorted((a, b) => a - b);
  return numbers(cursor.make, {
    least,
    most,
    digits: one.length === other.length ? one.length : 0,
  });
}

function literally({ make }: Cursor, characters: string[]): Regex {
  const each = characters.map((character) => make.one([[codeOf(character), codeOf(character)]]));
  return each.reduceRight((rest, one) => make.sequence(one, rest), EMPTY);
}

function until(cursor: Cursor, end: string): string[] {
  const found = cursor.source.indexOf(end, cursor.at);
  if (found < 0) throw new Malformed();
  const inside = cursor.source.slice(cursor.at, found);
  cursor.at = found + 1;
  return inside;
}

function readCharacter(cursor: Cursor): string {
  skip(cursor, "\\");
  return next(cursor);
}

function next(cursor: Cursor): string {
  const character = cursor.source[cursor.at];
  if (character === undefined) throw new Malformed();
  cursor.at += 1;
  return character;
}

function more({ source, at }: Cursor): boolean {
  return at < source.length;
}

function sees({ source, at }: Cursor, characters: string): boolean {
  return characters.includes(source[at] ?? " none");
}

function skip(cursor: Cursor, character: string): boolean {
  const isThere = cursor.source[cursor.at] === character;
  if (isThere) cursor.at += 1;
  return isThere;
}

function need(cursor: Cursor, character: string): void {
  if (!skip(cursor, character)) throw new Malformed();
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
