// Many values at once, as arrays that one index scan takes. Joined by OR, PostgreSQL would use no
// index as soon as one of the conditions has none, and test each row of the table.
import { type SQL, sql } from "drizzle-orm";
import { readAddress } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { literal } from "../../input/text.ts";
import { lowerOf, type SearchSource } from "../document.ts";
import { LONGEST_WORD, partsWithMarks, wordQuery, wordsOf } from "../language/words.ts";

interface Alternatives {
  /** One is enough. */
  conditions: SQL[];
  /** Texts that no array can hold. */
  others: readonly string[];
}

/** The value matches one of many terms. */
export function anyOf(source: SearchSource, texts: readonly string[]): Alternatives {
  const lower = new Set(texts.map((text) => text.toLowerCase()));
  const possible = [...lower].filter((text) => !text.includes("\0"));
  switch (source.kind) {
    case "keyword":
      return { conditions: oneOf(source, possible), others: [] };
    case "text":
      return inTexts(source, possible);
    case "address":
      return inAddresses(source, possible);
    case "mac":
      return { conditions: oneOf(source, possible.filter(isMac)), others: [] };
    case "number":
      return inNumbers(source, possible);
    default:
      // In times, m is minutes and M is months.
      return { conditions: [], others: [...new Set(texts)] };
  }
}

/** Single words, texts without a word, and phrases: each kind has an index of its own. */
function inTexts(source: SearchSource, texts: readonly string[]): Alternatives {
  const single: string[] = [];
  const several: string[] = [];
  const marked: string[] = [];
  for (const text of texts) {
    const words = wordsOf(text);
    if (words.length === 0 || words[0] === text) single.push(text);
    else if (partsWithMarks(text).length > 0) marked.push(text);
    else several.push(text);
  }
  const phrases = several.length > 0 ? [anyPhrase(source, several.map(wordsOf))] : [];
  return { conditions: [...oneOf(source, single), ...phrases], others: marked };
}

/** Words contain no spaces, so a phrase is a part of the words joined by spaces. */
function anyPhrase(source: SearchSource, phrases: readonly string[][]): SQL {
  const { value } = source;
  const { vector, before } = indexOfWords(source);
  const queries = phrases.map((words) => wordQuery(words, { before }));
  const parts = phrases.map((words) => `% ${literal(words.join(" "))} %`);
  return sql`(${vector} @@ any(${sql.param(queries)}::text[]::tsquery[])
    and ' ' || array_to_string(words_of(${value}), ' ') || ' ' like any(${sql.param(parts)}::text[]))`;
}

function inAddresses(source: SearchSource, texts: readonly string[]): Alternatives {
  const blocks = texts.filter(isBlockOfAddresses);
  const single = texts.filter((text) => readAddress(text) !== undefined);
  return {
    conditions: [
      ...oneOf(source, single),
      ...(blocks.length > 0
        ? [sql`${source.value} <<= any(${sql.param(blocks)}::text[]::inet[])`]
        : []),
    ],
    others: [],
  };
}

/** Integers apart, so that an index of integers can be used. */
function inNumbers({ value }: SearchSource, texts: readonly string[]): Alternatives {
  const integers = texts.filter(isInteger);
  const others = texts.filter((text) => !isInteger(text) && isDecimal(text));
  return {
    conditions: [
      ...(integers.length > 0
        ? [sql`${value} = any(${sql.param(integers)}::text[]::bigint[])`]
        : []),
      ...(others.length > 0 ? [sql`${value} = any(${sql.param(others)}::text[]::numeric[])`] : []),
    ],
    others: [],
  };
}

// Values that are known exactly -------------------------------------------------------------------

/** The value is one of these, which are in lower case. PostgreSQL stores no text with NUL in it. */
export function oneOf(source: SearchSource, values: readonly string[]): SQL[] {
  const { value, kind } = source;
  const possible = values.filter((one) => !one.includes("\0"));
  switch (kind) {
    case "keyword":
      return inArray(lowerOf(source), possible, sql`text[]`);
    case "text":
      return textAmong(source, possible);
    case "mac":
      return inArray(value, possible.filter(isMac).map(digitsOf), sql`macaddr[]`);
    case "address":
      return inArray(
        value,
        possible.filter((one) => readAddress(one) !== undefined),
        sql`inet[]`,
      );
    default:
      return [];
  }
}

/** The hexadecimal digits of a MAC address or a part of one. */
export function digitsOf(mac: string): string {
  return mac.replace(/[^0-9a-f]/gi, "").toLowerCase();
}

/** One of the words of the text, by the index of words, or the whole text. */
function textAmong(source: SearchSource, values: readonly string[]): SQL[] {
  const isWord = (one: string) => wordsOf(one)[0] === one;
  const [words, wholes] = [values.filter(isWord), values.filter((one) => !isWord(one))];
  return [
    ...(words.length > 0 ? [anyWord(source, words)] : []),
    ...inArray(lowerOf(source), wholes, sql`text[]`),
  ];
}

function anyWord(source: SearchSource, words: readonly string[]): SQL {
  const any = hasWords(source, words, { joined: "|" });
  const isLong = words.some((word) => isCut(source, word));
  return isLong ? sql`(${any} and words_of(${source.value}) && ${sql.param(words)}::text[])` : any;
}

/** The value has these words, or words that start so, by the index of words. */
export function hasWords(
  source: SearchSource,
  words: readonly string[],
  options: { joined?: string; isPrefix?: boolean } = {},
): SQL {
  const { vector, before } = indexOfWords(source);
  return sql`${vector} @@ ${wordQuery(words, { ...options, before })}::text::tsquery`;
}

/** The index does not have all of the word. */
export function isCut(source: SearchSource, word: string): boolean {
  return indexOfWords(source).before.length + word.length >= LONGEST_WORD;
}

function indexOfWords({ value, words }: SearchSource) {
  return words ?? { vector: sql`word_index(${value})`, before: "" };
}

/**
 * With more values PostgreSQL would use the trigram index for `= any`, which looks up each value in
 * seven places.
 */
const FEW = 100;

function inArray(value: SQL, values: readonly string[], type: SQL): SQL[] {
  if (values.length === 0) return [];
  const all = sql`${sql.param(values)}::text[]::${type}`;
  if (values.length <= FEW) return [sql`${value} = any(${all})`];
  return [sql`${value} in (select unnest(${all}))`];
}

// Which texts PostgreSQL reads as numbers and blocks of addresses ---------------------------------

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
/** Fits an index of integers. */
const INTEGER = /^[+-]?\d{1,18}$/;

export function isInteger(text: string): boolean {
  return INTEGER.test(text);
}

export function isDecimal(text: string): boolean {
  return NUMBER.test(text);
}

/** An address with a prefix length; it need not be the first of its block. */
export function isBlockOfAddresses(text: string): boolean {
  const [start = "", length = "", ...more] = text.split("/");
  const address = readAddress(start);
  if (!address || more.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  return Number(length) <= (address.family === 4 ? 32 : 128);
}
