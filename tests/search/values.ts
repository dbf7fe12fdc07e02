// Whether a value of a document matches a leaf of a query, by the kind of its field.
import { readAddress } from "../../src/input/addresses.ts";
import { periodBetween } from "../../src/search/language/dates.ts";
import { matches } from "../../src/search/language/glob.ts";
import { matcher, readRegex } from "../../src/search/language/regex.ts";
import type { Any, Exists, Leaf, RangeTerm } from "../../src/search/language/tree.ts";
import { distance, follows, partsWithMarks, wordsOf } from "../../src/search/language/words.ts";

export interface Value {
  path: string;
  value: string | number | boolean;
}

type ValueLeaf = Exclude<Leaf, Any | Exists>;

export function isMet(leaf: ValueLeaf, { path, value }: Value, now: number): boolean {
  if (leaf.kind === "range" && !leaf.from && !leaf.to) return true;
  if (typeof value === "number") return isNumber(leaf, value);
  if (typeof value === "boolean") return isBoolean(leaf, value);
  if (/(^|\.)(created|updated)_at$/.test(path)) return isDate(leaf, value, now);
  if (/\.(ip|netmask)$/.test(path)) return isAddress(leaf, value);
  if (/\.macs?$/.test(path)) return isMac(leaf, value);
  if (/(^|\.)(description|comments)$/.test(path)) return isText(leaf, value);
  return isKeyword(leaf, value);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function isNumber(leaf: ValueLeaf, value: number): boolean {
  const read = (text: string) => (NUMBER.test(text) ? Number(text) : undefined);
  if (leaf.kind === "term" || leaf.kind === "phrase") return read(leaf.text) === value;
  return leaf.kind === "range" && isWithin(leaf, value, read);
}

function isBoolean(leaf: ValueLeaf, value: boolean): boolean {
  const read = (text: string) => ["false", "true"].indexOf(text.toLowerCase());
  if (leaf.kind === "term" || leaf.kind === "phrase") return read(leaf.text) === Number(value);
  const readEnd = (text: string) => (read(text) < 0 ? undefined : read(text));
  return leaf.kind === "range" && isWithin(leaf, Number(value), readEnd);
}

/** A date also matches by its beginning, but only in a query that names its field. */
function isDate(leaf: ValueLeaf, value: string, now: number): boolean {
  if (leaf.kind === "prefix") return leaf.field !== undefined && value.startsWith(leaf.text);
  const bound = "text" in leaf && { text: leaf.text, isInclusive: true };
  const isTerm = leaf.kind === "term" || leaf.kind === "phrase";
  if (!(isTerm && bound) && leaf.kind !== "range") return false;
  const ends = leaf.kind === "range" ? leaf : { from: bound || undefined, to: bound || undefined };
  const period = periodBetween(ends, now);
  const time = Date.parse(`${value.replace(" ", "T")}:00Z`);
  if (!period) return false;
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = period;
  return from <= time && time < until;
}

/** By value for addresses and blocks; else as text. */
function isAddress(leaf: ValueLeaf, value: string): boolean {
  const address = readAddress(value)!;
  if (leaf.kind === "range") {
    const read = (text: string) => {
      const end = readAddress(text);
      return end?.family === address.family ? end.value : undefined;
    };
    return isWithin(leaf, address.value, read);
  }
  if (leaf.kind !== "term" && leaf.kind !== "phrase") return isKeyword(leaf, value);
  const [start = "", length] = leaf.text.split("/");
  const wanted = readAddress(start);
  if (!wanted || wanted.family !== address.family) return false;
  const bits = address.family === 4 ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return false;
  const behind = BigInt(bits - Number(length ?? bits));
  return address.value >> behind === wanted.value >> behind;
}

const NOTATIONS = [
  (digits: string) => digits.replace(/..(?=.)/g, "$&:"),
  (digits: string) => digits.replace(/..(?=.)/g, "$&-"),
  ...[".", ":", "-"].map((mark) => (digits: string) => digits.replace(/....(?=.)/g, `$&${mark}`)),
];

/** In any notation; in a query without a field only in pairs, or with at least six digits. */
function isMac(leaf: ValueLeaf, value: string): boolean {
  const digits = value.replaceAll(":", "");
  if (leaf.kind === "term" || leaf.kind === "phrase") {
    return [digits, ...NOTATIONS.map((write) => write(digits))].some((one) => isKeyword(leaf, one));
  }
  if (leaf.kind === "prefix") {
    const all = NOTATIONS.map((write) => write(digits));
    const isPlain = leaf.text.replace(/[^0-9a-f]/gi, "").length >= 6;
    const meant = leaf.field ? [digits, ...all] : isPlain ? all : [value];
    return meant.some((one) => isKeyword(leaf, one));
  }
  if (leaf.kind !== "wildcard" || isKeyword(leaf, value)) return isKeyword(leaf, value);
  const texts = leaf.glob.filter((part) => typeof part === "string");
  const isInPairs = texts.every((text) => /^(?!.*[0-9a-f]{3})[0-9a-f:]*$/i.test(text));
  if (isInPairs || !leaf.field || !texts.every((text) => /^[0-9a-f.:-]*$/i.test(text)))
    return false;
  const glob = leaf.glob.map((part) =>
    typeof part === "string" ? part.replace(/[.:-]/g, "") : part,
  );
  return isKeyword({ ...leaf, glob }, digits);
}

/** As a whole, or by each of its words; several words where they follow each other. */
function isText(leaf: ValueLeaf, value: string): boolean {
  if (isKeyword(leaf, value)) return true;
  const words = wordsOf(value.toLowerCase());
  if (leaf.kind === "term" || leaf.kind === "phrase") {
    const slop = leaf.kind === "phrase" ? leaf.slop : 0;
    const text = leaf.text.toLowerCase();
    const hasSigns = partsWithMarks(text).every((part) => value.toLowerCase().includes(part));
    return hasSigns && follows(words, wordsOf(text), slop);
  }
  return words.some((word) => isKeyword(leaf, word));
}

function isKeyword(leaf: ValueLeaf, text: string): boolean {
  const value = text.toLowerCase();
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return value === leaf.text.toLowerCase();
    case "prefix":
      return value.startsWith(leaf.text.toLowerCase());
    case "wildcard":
      return matches(
        leaf.glob.map((part) => (typeof part === "string" ? part.toLowerCase() : part)),
        value,
      );
    case "regex": {
      const regex = readRegex(leaf.source);
      return regex !== undefined && matcher(regex)(value);
    }
    case "fuzzy":
      return distance(value, leaf.text.toLowerCase(), leaf.distance) <= leaf.distance;
    case "range":
      return isWithin(leaf, Buffer.from(value).toString("hex"), (end) =>
        Buffer.from(end.toLowerCase()).toString("hex"),
      );
  }
}

/** An invalid bound matches nothing. */
function isWithin<T extends string | number | bigint>(
  { from, to }: RangeTerm,
  value: T,
  read: (text: string) => T | undefined,
): boolean {
  const [least, most] = [from && read(from.text), to && read(to.text)];
  if ((from && least === undefined) || (to && most === undefined)) return false;
  if (from && least !== undefined && !(from.isInclusive ? least <= value : least < value)) {
    return false;
  }
  return !(to && most !== undefined) || (to.isInclusive ? value <= most : value < most);
}
