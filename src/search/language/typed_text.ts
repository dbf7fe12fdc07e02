// What people type into the box above a list without knowing the query language: words and the
// beginnings of words.
import { singular } from "../../input/text.ts";
import { parse } from "./parser.ts";
import { QuerySyntaxError } from "./syntax_error.ts";
import { type ClauseGroup, leavesOf, type Term, type TextPlace } from "./tree.ts";

/** What a word means besides itself: `ioc` also means `is_ioc:true`. */
export type Meanings = Readonly<Record<string, string>>;

/**
 * Plain words become a query for records that have all of them, in whatever fields, so that a list
 * narrows down as people type; so does text that is not a valid query (yet). Records with the text
 * as a whole value come first. Text that uses the query language stays as it is.
 */
export function asContainsQuery(text: string, meanings: Meanings = {}): string {
  const typed = text.trim();
  if (typed === "" || !isPlain(typed)) return text;
  const words = tellingWords(typed);
  if (words.length === 0 || words.length > MOST_WORDS) return `*${escaped(typed)}*`;
  const all = words.map((word) => `+${withMeaning(word, meanings)}`);
  const wholes = new Set([typed, singular(typed)]);
  const named = [...wholes].map((one) => `${quoted(one)}^${WHOLE_VALUE}`);
  return `${all.join(" ")} ${named.join(" ")}`;
}

/** The text as a value of a query. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Without those that join others: "rack A03 of the hall". */
function tellingWords(text: string): string[] {
  const all = typedWords(text);
  const telling = all.filter((word) => !/^(?:of|the)$/i.test(word));
  return telling.length > 0 ? telling : all;
}

/** Commas separate words too. */
export function typedWords(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}

/** The query for records that have any of several plain words. */
export function anyWordOf(text: string): string | undefined {
  const words = typedWords(text);
  if (!isPlainText(text) || words.length < 2 || words.length > MOST_WORDS) return undefined;
  return words.map(contained).join(" OR ");
}

/** Longer texts are sentences that were pasted, and looked for as they are. */
export const MOST_WORDS = 8;
/** Weighs more than the name of a record in one of the words. */
const WHOLE_VALUE = 9;

function withMeaning(word: string, meanings: Meanings): string {
  const name = singular(word.toLowerCase());
  if (!Object.hasOwn(meanings, name)) return contained(word);
  return `(${contained(word)} OR ${meanings[name]})`;
}

/** The place of a rack, or the beginning of a label. */
const CODE = /^\p{L}{1,2}\d+$/u;
/** Without its zeros: b7 is B07. */
export const SHORT_CODE = /^(\p{L}{1,2})([1-9])$/u;
const SHORTEST_PART = 3;
const BEFORE_WORDS = [" ", "-", "/"];

/** A small number is a whole one, also with zeros before it: `gauge 6` means gauge-06, and no serial number; 10 may begin an address. */
const SMALL_NUMBER = /^\d{1,2}$/;

/**
 * Short words and codes have to begin a word: as a part of one, `A08` would lead to the label
 * AAA080.
 */
function contained(word: string): string {
  if (SMALL_NUMBER.test(word)) return String.raw`/(.*[\- \/])?0*${word}([\- \/.:].*)?/`;
  const [, letters, digits] = SHORT_CODE.exec(word) ?? [];
  if (letters) return String.raw`/(.*[\- \/])?${letters}0*${digits}.*/`;
  const part = escaped(singular(word));
  if ([...word].length >= SHORTEST_PART && !CODE.test(word)) return `*${part}*`;
  return `(${part}* OR ${BEFORE_WORDS.map((before) => `*\\${before}${part}*`).join(" OR ")})`;
}

/** Whether a list looks for the words of the text instead of reading it as a query. */
export function isPlainText(text: string): boolean {
  return isPlain(text.trim());
}

/** Why a text is not a valid query, and how to correct it; undefined for a valid one. */
export function syntaxErrorIn(text: string): string | undefined {
  const found = read(text.trim());
  if (!(found instanceof QuerySyntaxError)) return undefined;
  return found.remedy ? `${found.message}. ${found.remedy}` : found.message;
}

/** The start of a MAC or IPv6 address, which otherwise reads as a field and its value. */
const ADDRESS_PART = /^[0-9a-f]{0,4}(:[0-9a-f]{0,4})+$/i;

export function isAddressPart(text: string): boolean {
  return ADDRESS_PART.test(text);
}

/** Syntax that makes text more than words. Brackets alone do not: names contain them too. */
const QUERY_SYNTAX = /["\\:/^]|(^|\s)(OR|\|\|)(\s|$)/;

/** Whole addresses and times are queries, not words. */
function isPlain(text: string): boolean {
  const found = read(text);
  if (found instanceof QuerySyntaxError) return true;
  const { must, should, must_not } = found;
  if (must.length + must_not.length > 0) return false;
  const terms = should.filter((one) => one.kind === "term");
  if (terms.length === 0 || terms.length < should.length) return false;
  return terms.some(({ field }) => field) ? isAddressPart(text) : !QUERY_SYNTAX.test(text);
}

function read(text: string): ClauseGroup | QuerySyntaxError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QuerySyntaxError) return error;
    throw error;
  }
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}_.]/gu, "\\$&");
}

// Words side by side ------------------------------------------------------------------------------

// Words side by side are one text to the search, and so are words with commas between them. If that
// finds nothing, people may have meant each of the words.

/**
 * The query with such words joined by AND or OR, each between `around`; undefined if it has no such
 * words.
 */
export function splitPhrases(
  query: string,
  group: ClauseGroup,
  { by, around = "" }: { by: "OR" | "AND"; around?: string },
): string | undefined {
  const parts = leavesOf(group)
    .filter((leaf) => leaf.kind === "term")
    .map((term) => ({ ...spanOf(query, term), words: wordsOf(query, term) }))
    .filter(({ words }) => words.length > 1)
    .toSorted((one, other) => one.offset - other.offset);
  if (parts.length === 0) return undefined;
  let text = "";
  let at = 0;
  for (const { offset, end, words } of parts) {
    text += `${query.slice(at, offset)}(${words.map((word) => around + word + around).join(` ${by} `)})`;
    at = end;
  }
  return text + query.slice(at);
}

/** The place of the words without field and boost. */
function spanOf(query: string, { run, field, offset, end }: Term): TextPlace {
  const [first, last] = [run?.[0], run?.at(-1)];
  if (first && last) return { offset: first.offset, end: last.end };
  const text = query.slice(offset, end);
  const start = field && text.includes(":") ? text.indexOf(":") + 1 : 0;
  const rest = text.slice(start);
  const value = rest.trimStart().replace(/\^[\d.]+$/, "");
  const from = offset + start + rest.length - rest.trimStart().length;
  return { offset: from, end: from + value.length };
}

/** Commas separate words too, unless escaped. */
function wordsOf(query: string, term: Term): string[] {
  const places = term.run ?? [spanOf(query, term)];
  const words = places.flatMap(({ offset, end }) => query.slice(offset, end).split(/(?<!\\),/));
  return words.filter((word) => word !== "");
}
