// What a leaf asks of one value, by its kind: conditions in SQL, none where the value can never be it.
import { type SQL, sql } from "drizzle-orm";
import { readAddress, readBlock } from "../addresses.ts";
import { isMac } from "../kinds.ts";
import { literal } from "../text.ts";
import { among } from "./compile_among.ts";
import { onTerms } from "./compile_terms.ts";
import { periodBetween, periodOf } from "./dates.ts";
import type { Source } from "./document.ts";
import type { Glob } from "./glob.ts";
import { readRegex } from "./lucene_regex.ts";
import { postgresRegex } from "./regex_postgres.ts";
import type { Leaf, Range, Terms } from "./tree.ts";
import { wordsOf } from "./words.ts";

type Asking = Exclude<Leaf, { kind: "any" }>;

export function conditionsOn(source: Source, leaf: Asking | Terms, now: number): SQL[] {
  if (leaf.kind === "terms") return onTerms(source, leaf, (one) => conditionsOn(source, one, now));
  const { value } = source;
  if (leaf.kind === "exists" || (leaf.kind === "range" && !leaf.from && !leaf.to)) {
    return [sql`${value} is not null`];
  }
  if ("values" in leaf && leaf.values) return among(source, leaf.values);
  switch (source.kind) {
    case "number":
      return onNumber(value, leaf);
    case "boolean":
      return onTruth(value, leaf);
    case "time":
      return onTime(value, leaf, now);
    case "address":
      return onAddress(value, leaf);
    case "mac":
      return onMac(source, leaf);
    case "text":
      return onText(source, leaf);
    default:
      return onKeyword(source, leaf);
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
/** As an integer it can be looked up in an index of integers. */
const INTEGER = /^[+-]?\d{1,9}$/;

export function onNumber(value: SQL, leaf: Asking): SQL[] {
  const read = (text: string) => {
    if (INTEGER.test(text)) return sql`${text}::text::integer`;
    return NUMBER.test(text) ? sql`${text}::text::numeric` : undefined;
  };
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

export function onTruth(value: SQL, leaf: Asking): SQL[] {
  const read = (text: string) =>
    /^(true|false)$/i.test(text) ? sql`${text.toLowerCase()}::text::boolean` : undefined;
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

const MINUTE = 60_000;

/** Times count by the minute, as they are shown. A date is found by its beginning where its field is named. */
function onTime(value: SQL, leaf: Asking, now: number): SQL[] {
  if (leaf.kind === "prefix" && leaf.field)
    return [sql`shown(${value}) like ${`${literal(leaf.text)}%`}`];
  const isTerm = leaf.kind === "term" || leaf.kind === "phrase";
  if (!isTerm && leaf.kind !== "range") return [];
  const period = isTerm ? periodOf(leaf.text, now) : periodBetween(leaf, now);
  if (!period) return [];
  const minute = sql`date_trunc('minute', ${value})`;
  const { from, until } = period;
  const ends = [
    ...(from === undefined
      ? []
      : [sql`${value} >= ${moment(from - MINUTE)} and ${minute} >= ${moment(from)}`]),
    ...(until === undefined
      ? []
      : [sql`${value} < ${moment(until + MINUTE)} and ${minute} < ${moment(until)}`]),
  ];
  return [ends.length > 0 ? sql`(${sql.join(ends, sql` and `)})` : sql`${value} is not null`];
}

/** Beyond the years that PostgreSQL knows, every time is before or after. */
function moment(milliseconds: number): SQL {
  const year = 31_557_600_000;
  const seconds = Math.min(Math.max(milliseconds, -4_000 * year), 8_000 * year) / 1_000;
  return sql`to_timestamp(${String(seconds)}::text::double precision)`;
}

/** By value where addresses and blocks are meant; else as it is written. */
function onAddress(value: SQL, leaf: Asking): SQL[] {
  if (leaf.kind === "range") {
    const end = (leaf.from ?? leaf.to)?.text ?? "";
    const read = (text: string) => (readAddress(text) ? sql`${text}::text::inet` : undefined);
    const family = readAddress(end)?.family;
    return between(value, leaf, read).map(
      (one) => sql`(${one} and family(${value}) = ${family ?? 4})`,
    );
  }
  if (leaf.kind !== "term" && leaf.kind !== "phrase") {
    if (!isWritten(leaf, OF_ADDRESSES)) return [];
    return onKeyword(
      { value: sql`host(${value})`, lower: sql`(host(${value}) collate "C")` },
      leaf,
    );
  }
  const [start = "", length] = leaf.text.split("/");
  const isBlock = length !== undefined;
  const known = readAddress(start);
  if (
    !known ||
    (isBlock &&
      !readBlock(`${known.family === 4 ? "0.0.0.0" : "::"}/${length}`) &&
      !isPrefix(length, known.family))
  )
    return [];
  return [sql`${value} <<= ${leaf.text}::text::inet`];
}

function isPrefix(length: string, family: 4 | 6): boolean {
  return /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}

/** In whatever notation. */
function onMac({ value }: Source, leaf: Asking): SQL[] {
  if (leaf.kind !== "term" && leaf.kind !== "phrase") {
    return isWritten(leaf, OF_MACS) ? onKeyword({ value: sql`${value}::text` }, leaf) : [];
  }
  const digits = leaf.text.replace(/[^0-9a-f]/gi, "");
  return isMac(leaf.text) ? [sql`${value} = ${digits}::text::macaddr`] : [];
}

const OF_MACS = /^(?!.*[0-9a-f]{3})[0-9a-f:]*$/;
const OF_ADDRESSES = /^(?!.*[0-9a-f]{5})[0-9a-f:.]*$/;

/** Whether the texts in it can be parts of such values: most cannot, and then nobody need look. */
function isWritten(leaf: Asking, characters: RegExp): boolean {
  if (leaf.kind === "prefix") return characters.test(leaf.text.toLowerCase());
  if (leaf.kind !== "wildcard") return true;
  return leaf.glob.every((part) => typeof part !== "string" || characters.test(part.toLowerCase()));
}

type Column = Pick<Source, "value" | "lower">;

export function onKeyword(column: Column, leaf: Asking): SQL[] {
  const { value, lower = sql`lower(${value})` } = column;
  switch (leaf.kind) {
    case "term":
    case "phrase": {
      if (leaf.text.includes("\0")) return [];
      return [sql`${lower} = ${leaf.text.toLowerCase()}`];
    }
    case "prefix":
      return like(column, `${literal(leaf.text.toLowerCase())}%`);
    case "wildcard":
      return like(column, patternOf(leaf.glob));
    case "regex":
      return matching(value, leaf.source);
    case "range":
      return between(
        sql`${lower} collate "C"`,
        leaf,
        (text) => sql`${text.toLowerCase()}::text collate "C"`,
      );
    default:
      return [];
  }
}

/** Who asks for all of a text asks for words that follow each other in it: an index knows those. */
function onText(source: Source, leaf: Asking): SQL[] {
  const isTerm = leaf.kind === "term" || leaf.kind === "phrase";
  if (isTerm && wordsOf(leaf.text).length > 0) return onWords(source.value, leaf);
  return [...onKeyword(source, leaf), ...onWords(source.value, leaf)];
}

function onWords(value: SQL, leaf: Asking): SQL[] {
  const words = sql`words_of(${value})`;
  if (leaf.kind === "term" || leaf.kind === "phrase") {
    const wanted = wordsOf(leaf.text.toLowerCase());
    if (wanted.length === 0 || leaf.text.includes("\0")) return [];
    const all = sql`${words} @> ${sql.param(wanted)}::text[]`;
    if (wanted.length === 1) return [all];
    const slop = leaf.kind === "phrase" ? (leaf.slop ?? 0) : 0;
    return [sql`(${all} and follow(${words}, ${sql.param(wanted)}::text[], ${slop}))`];
  }
  const one = sql`word`;
  const conditions = onKeyword({ value: one, lower: one }, leaf);
  // What is like a part of the text is soon found by its trigrams; the words of all others stay unread.
  const pattern = patternIn(leaf);
  const hint = pattern === undefined ? sql`` : sql`${value} ilike ${`%${pattern}%`} and `;
  return conditions.map(
    (condition) => sql`(${hint}exists (select from unnest(${words}) word where ${condition}))`,
  );
}

function patternIn(leaf: Asking): string | undefined {
  if (leaf.kind === "prefix") return literal(leaf.text.toLowerCase());
  return leaf.kind === "wildcard" ? patternOf(leaf.glob) : undefined;
}

export function patternOf(glob: Glob): string {
  return glob
    .map((part) =>
      typeof part === "string" ? literal(part.toLowerCase()) : part.wild === "*" ? "%" : "_",
    )
    .join("");
}

/** A column that is not kept in lower case has trigrams of its own, which know no case. */
function like({ value, lower }: Column, pattern: string): SQL[] {
  if (pattern.includes("\0")) return [];
  return [lower ? sql`${lower} like ${pattern}` : sql`${value} ilike ${pattern}`];
}

function matching(value: SQL, source: string): SQL[] {
  const read = readRegex(source);
  const text = read && postgresRegex(read.tree);
  return text === undefined ? [] : [sql`${value} ~* ${text}`];
}

function equal(value: SQL, wanted: SQL | undefined): SQL[] {
  return wanted ? [sql`${value} = ${wanted}`] : [];
}

/** An end that cannot be read finds nothing. */
function between(value: SQL, { from, to }: Range, read: (text: string) => SQL | undefined): SQL[] {
  if ([from, to].some((end) => end?.text.includes("\0"))) return [];
  const least = from && read(from.text);
  const most = to && read(to.text);
  if ((from && !least) || (to && !most)) return [];
  const ends = [
    ...(from && least
      ? [from.isInclusive ? sql`${value} >= ${least}` : sql`${value} > ${least}`]
      : []),
    ...(to && most ? [to.isInclusive ? sql`${value} <= ${most}` : sql`${value} < ${most}`] : []),
  ];
  return [sql`(${sql.join(ends, sql` and `)})`];
}
