// The condition of a leaf on one value, by the kind of the value.
import { type SQL, sql } from "drizzle-orm";
import { readAddress } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { LAST, literal } from "../../input/text.ts";
import { lowerOf, type SearchSource } from "../document.ts";
import { type Period, periodBetween, periodOf, periodStarting } from "../language/dates.ts";
import type { Glob, GlobPart } from "../language/glob.ts";
import { readRegex } from "../language/regex.ts";
import type { Any, Leaf, Phrase, RangeTerm, Term, Terms, Wildcard } from "../language/tree.ts";
import { partsWithMarks, wordsOf } from "../language/words.ts";
import {
  anyOf,
  digitsOf,
  hasWords,
  isBlockOfAddresses,
  isCut,
  isDecimal,
  isInteger,
  oneOf,
} from "./lists.ts";
import { partialRegex, regexCondition } from "./regex.ts";

export type FieldLeaf = Exclude<Leaf, Any>;

/**
 * Alternative conditions; none if the value can never match. Each is one that an index
 * can answer.
 */
export function conditionsOn(source: SearchSource, leaf: FieldLeaf | Terms, now: number): SQL[] {
  const conditions = conditionsOnValue(source, leaf, now);
  const first = firstTest(source, leaf);
  return first ? conditions.map((one) => sql`(${first} and ${one})`) : conditions;
}

/** What the list or the text that has the value has to have, by its index. */
function firstTest({ list, within }: SearchSource, leaf: FieldLeaf | Terms): SQL | undefined {
  if (list && (leaf.kind === "term" || leaf.kind === "phrase" || leaf.kind === "terms")) {
    const texts = "texts" in leaf ? leaf.texts : [leaf.text];
    const possible = texts.filter((text) => !text.includes("\0"));
    return sql`${list} && ${sql.param(possible.map((text) => text.toLowerCase()))}::text[]`;
  }
  return within && prefilter(within, leaf);
}

function conditionsOnValue(source: SearchSource, leaf: FieldLeaf | Terms, now: number): SQL[] {
  if (leaf.kind === "terms") return onTerms(source, leaf, now);
  const { value } = source;
  if (leaf.kind === "exists" || (leaf.kind === "range" && !leaf.from && !leaf.to)) {
    return [sql`${value} is not null`];
  }
  if ("values" in leaf && leaf.values) return oneOf(source, leaf.values[source.path] ?? []);
  switch (source.kind) {
    case "number":
      return onNumber(value, leaf);
    case "boolean":
      return onBoolean(value, leaf);
    case "time":
      return onTime(value, leaf, now);
    case "address":
      return onAddress(value, leaf);
    case "block":
      return onAddress(value, leaf, sql`&&`);
    case "mac":
      return onMac(value, leaf);
    case "text":
      return onText(source, leaf);
    default:
      return onKeyword(source, leaf);
  }
}

function onNumber(value: SQL, leaf: FieldLeaf): SQL[] {
  const read = (text: string) => {
    if (isInteger(text)) return sql`${text}::text::bigint`;
    return isDecimal(text) ? sql`${text}::text::numeric` : undefined;
  };
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

function onBoolean(value: SQL, leaf: FieldLeaf): SQL[] {
  // As a literal, not as a parameter: one plan for both would look up most records one by one.
  const read = (text: string) =>
    /^(true|false)$/i.test(text) ? sql.raw(text.toLowerCase()) : undefined;
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

const MINUTE = 60_000;

/** Times compare by the minute, as they are shown. A named field also takes the start of a date. */
function onTime(value: SQL, leaf: FieldLeaf, now: number): SQL[] {
  const period = periodFor(leaf, now);
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

function periodFor(leaf: FieldLeaf, now: number): Period | undefined {
  if (leaf.kind === "prefix") return leaf.field && periodStarting(leaf.text);
  if (leaf.kind === "range") return periodBetween(leaf, now);
  return leaf.kind === "term" || leaf.kind === "phrase" ? periodOf(leaf.text, now) : undefined;
}

/** Limited to the years that PostgreSQL knows. */
function moment(milliseconds: number): SQL {
  const year = 31_557_600_000;
  const seconds = Math.min(Math.max(milliseconds, -4_000 * year), 8_000 * year) / 1_000;
  return sql`to_timestamp(${String(seconds)}::text::double precision)`;
}

/**
 * Addresses and blocks by value, other texts by the written form. Blocks match what they share
 * addresses with.
 */
function onAddress(value: SQL, leaf: FieldLeaf, meets = sql`<<=`): SQL[] {
  if (leaf.kind === "range") {
    const end = (leaf.from ?? leaf.to)?.text ?? "";
    const read = (text: string) => (readAddress(text) ? sql`${text}::text::inet` : undefined);
    const family = readAddress(end)?.family;
    return between(value, leaf, read).map(
      (one) => sql`(${one} and family(${value}) = ${family ?? 4})`,
    );
  }
  if (leaf.kind !== "term" && leaf.kind !== "phrase") {
    if (!canMatch(leaf, ADDRESS_CHARACTERS)) return [];
    const written = sql`(host(${value}) collate "C")`;
    return onKeyword({ value: written, lower: written }, leaf);
  }
  const isKnown = readAddress(leaf.text) !== undefined || isBlockOfAddresses(leaf.text);
  return isKnown ? [sql`${value} ${meets} ${leaf.text}::text::inet`] : [];
}

const ADDRESS_CHARACTERS = /^(?!.*[0-9a-f]{5})[0-9a-f:.]*$/;

/**
 * Whether the texts of a leaf can be parts of such values; most cannot, and then the table is not
 * read.
 */
function canMatch(leaf: FieldLeaf, characters: RegExp): boolean {
  if (leaf.kind === "prefix") return characters.test(leaf.text.toLowerCase());
  if (leaf.kind !== "wildcard") return true;
  return leaf.glob.every((part) => typeof part !== "string" || characters.test(part.toLowerCase()));
}

function equal(value: SQL, wanted: SQL | undefined): SQL[] {
  return wanted ? [sql`${value} = ${wanted}`] : [];
}

function onTerms(source: SearchSource, { texts, offset, end }: Terms, now: number): SQL[] {
  const { conditions, others } = anyOf(source, texts);
  const single = (text: string) => conditionsOn(source, { kind: "term", text, offset, end }, now);
  return [...conditions, ...others.flatMap(single)];
}

// Keywords ----------------------------------------------------------------------------------------

type SourceColumn = Pick<SearchSource, "value" | "lower">;

function onKeyword(column: SourceColumn, leaf: FieldLeaf): SQL[] {
  const { value } = column;
  const lower = lowerOf(column);
  switch (leaf.kind) {
    case "term":
    case "phrase": {
      if (leaf.text.includes("\0")) return [];
      return [sql`${lower} = ${leaf.text.toLowerCase()}`];
    }
    case "prefix":
      return starting(lower, leaf.text.toLowerCase());
    case "wildcard":
      return like(column, patternOf(leaf.glob));
    case "regex":
      return matchesRegex(value, leaf.source);
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

function patternOf(glob: Glob): string {
  return glob
    .map((part) =>
      typeof part === "string" ? literal(part.toLowerCase()) : part.wild === "*" ? "%" : "_",
    )
    .join("");
}

function starting(lower: SQL, text: string): SQL[] {
  return text.includes("\0") ? [] : [startingWith(sql`${lower} collate "C"`, text)];
}

/**
 * A range, because a generic plan can look it up in an index; a pattern would have to be known to
 * the planner.
 */
export function startingWith(bytes: SQL, text: string): SQL {
  return sql`(${bytes} >= ${text} and ${bytes} < ${text + LAST})`;
}

/** Values that are not stored in lower case have trigram indexes that ignore case. */
function like({ value, lower }: SourceColumn, pattern: string): SQL[] {
  if (pattern.includes("\0")) return [];
  return [value === lower ? sql`${lower} like ${pattern}` : sql`${value} ilike ${pattern}`];
}

function matchesRegex(value: SQL, source: string): SQL[] {
  const read = readRegex(source);
  const condition = read && regexCondition(value, read.tree);
  return condition ? [condition] : [];
}

/** A bound that is not valid finds nothing. */
function between(
  value: SQL,
  { from, to }: RangeTerm,
  read: (text: string) => SQL | undefined,
): SQL[] {
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

// Texts: all of a text, or each of its words ------------------------------------------------------

/**
 * A whole text is looked for as words that follow each other, because the index of words knows
 * those.
 */
function onText(source: SearchSource, leaf: FieldLeaf): SQL[] {
  const { value } = source;
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return wordsOf(leaf.text).length > 0 ? onWords(source, leaf) : onKeyword(source, leaf);
    case "prefix":
      return startingText(source, leaf.text.toLowerCase());
    case "wildcard":
      // What is inside a word is inside the text.
      return isInfix(leaf.glob)
        ? onKeyword(source, leaf)
        : [...onKeyword(source, leaf), ...onEachWord(value, leaf)];
    default:
      return [...onKeyword(source, leaf), ...onEachWord(value, leaf)];
  }
}

function onWords(source: SearchSource, leaf: Term | Phrase): SQL[] {
  const { value } = source;
  const text = leaf.text.toLowerCase();
  if (text.includes("\0")) return [];
  const wanted = wordsOf(text);
  const marked = partsWithMarks(text).map(
    (part) => sql` and strpos(lower(${value} collate names), ${part}) > 0`,
  );
  const all = sql`${hasWords(source, wanted)}${sql.join(marked)}`;
  const isLong = wanted.some((word) => isCut(source, word));
  if (wanted.length === 1 && !isLong) return [all];
  const slop = leaf.kind === "phrase" ? (leaf.slop ?? 0) : 0;
  const follow = sql`follow(words_of(${value}), ${sql.param(wanted)}::text[], ${slop})`;
  return [sql`(${all} and (${areAdjacent(value, wanted)} or ${follow}))`];
}

/** Longer expressions cost PostgreSQL more than they save. */
const LONGEST_PLAIN = 300;

/** Only separators are between the words: ten times as fast to test as follow(). */
function areAdjacent(value: SQL, words: string[]): SQL {
  const other = "[^-_.[:alnum:]]";
  const each = words.map((word) => word.replaceAll(".", "\\."));
  const regex = `(^|${other})${each.join(`${other}+`)}($|${other})`;
  return regex.length > LONGEST_PLAIN ? sql`false` : sql`lower(${value} collate names) ~ ${regex}`;
}

/** If a text starts with a word or a part of one, so does its first word. */
function startingText(source: SearchSource, text: string): SQL[] {
  const { value } = source;
  if (text.includes("\0")) return [];
  const isWord = /^[a-z0-9]+([-_.]+[a-z0-9]+)*$/.test(text) && !isCut(source, text);
  const word = hasWords(source, [text], { isPrefix: true });
  if (isWord) return [word];
  const words = sql`exists (select from unnest(words_of(${value})) word where starts_with(word, ${text}))`;
  return [sql`${value} ilike ${`${literal(text)}%`}`, sql`(${word} and ${words})`];
}

function isInfix(glob: Glob): boolean {
  return [glob.at(0), glob.at(-1)].every((end) => typeof end === "object" && end.wild === "*");
}

function onEachWord(value: SQL, leaf: FieldLeaf): SQL[] {
  const one = sql`word`;
  const conditions = onKeyword({ value: one, lower: one }, leaf);
  const first = prefilter(value, leaf) ?? sql`${value} is not null`;
  return conditions.map(
    (condition) =>
      sql`(${first} and exists (select from unnest(words_of(${value})) word where ${condition}))`,
  );
}

/** A cheap first test by trigrams, so that only few texts are split into words. */
function prefilter(value: SQL, leaf: FieldLeaf | Terms): SQL | undefined {
  if (leaf.kind === "wildcard") return like({ value }, `%${patternOf(leaf.glob)}%`)[0];
  const regex = leaf.kind === "regex" && readRegex(leaf.source);
  const text = regex && partialRegex(regex.tree);
  return text ? sql`${value} ~* ${text}` : undefined;
}

// MAC addresses, in any notation: 02:42:ac, 02-42-AC, 0242.ac, 0242ac -----------------------------

const DIGITS = 12;

function onMac(value: SQL, leaf: FieldLeaf): SQL[] {
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return isMac(leaf.text) ? [sql`${value} = ${digitsOf(leaf.text)}::text::macaddr`] : [];
    case "prefix":
      return isMacStart(leaf.text, leaf.field !== undefined)
        ? macStarting(value, digitsOf(leaf.text))
        : [];
    case "wildcard":
      return onGlob(value, leaf);
    default:
      return onKeyword(asText(value), leaf);
  }
}

const PAIRS = /^([0-9a-f]{2}:){0,5}[0-9a-f]{0,2}$/i;
const HYPHENS = /^([0-9a-f]{2}-){1,5}[0-9a-f]{0,2}$/i;
const FOURS = /^[0-9a-f]{4}([.:-])[0-9a-f]{0,4}(\1[0-9a-f]{0,4})?$/i;
const BARE_DIGITS = /^[0-9a-f]{1,12}$/i;

/** Digits that a prefix without a field needs to be taken for a MAC address. */
const LEAST_DIGITS = 6;

function isMacStart(text: string, isNamed: boolean): boolean {
  if (PAIRS.test(text)) return true;
  if (!isNamed && digitsOf(text).length < LEAST_DIGITS) return false;
  return HYPHENS.test(text) || FOURS.test(text) || (isNamed && BARE_DIGITS.test(text));
}

/** The range of all addresses that start with these digits. */
function macStarting(value: SQL, digits: string): SQL[] {
  const end = (fill: string) => sql`${digits.padEnd(DIGITS, fill)}::text::macaddr`;
  return [sql`(${value} >= ${end("0")} and ${value} <= ${end("f")})`];
}

const IN_PAIRS = /^(?!.*[0-9a-f]{3})[0-9a-f:]*$/i;
const IN_ANY = /^[0-9a-f]*([.:-][0-9a-f]*)*$/i;

/**
 * Pairs are compared with the shown form; other notations, if the field is named, by their digits.
 */
function onGlob(value: SQL, { glob, field }: Wildcard): SQL[] {
  const texts = glob.filter((part) => typeof part === "string");
  if (texts.every((text) => IN_PAIRS.test(text))) {
    return [sql`${value}::text like ${patternOf(glob)}`];
  }
  if (!field || !texts.every((text) => IN_ANY.test(text))) return [];
  return [sql`replace(${value}::text, ':', '') like ${patternOf(digitsOfGlob(glob))}`];
}

function digitsOfGlob(glob: Glob): Glob {
  return glob.map<GlobPart>((part) => (typeof part === "string" ? digitsOf(part) : part));
}

function asText(value: SQL) {
  const text = sql`${value}::text`;
  return { value: text, lower: text };
}
