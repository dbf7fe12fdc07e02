// What a leaf asks of a MAC address, in whatever notation it is written: 02:42:ac, 02-42-AC, 0242.ac, 0242ac.
import { type SQL, sql } from "drizzle-orm";
import { isMac } from "../../input/kinds.ts";
import type { Glob, GlobPart } from "../language/glob.ts";
import type { Wildcard } from "../language/tree.ts";
import { type Asking, onKeyword, patternOf } from "./keyword.ts";

const DIGITS = 12;

export function onMac(value: SQL, leaf: Asking): SQL[] {
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return isMac(leaf.text) ? [sql`${value} = ${digitsOf(leaf.text)}::text::macaddr`] : [];
    case "prefix":
      return isStart(leaf.text, leaf.field !== undefined)
        ? startingWith(value, digitsOf(leaf.text))
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
const BARE = /^[0-9a-f]{1,12}$/i;

/** Without a field only what can hardly be anything else: most texts of a few digits are not meant as addresses. */
const PLAINLY = 6;

function isStart(text: string, isNamed: boolean): boolean {
  if (PAIRS.test(text)) return true;
  if (!isNamed && digitsOf(text).length < PLAINLY) return false;
  return HYPHENS.test(text) || FOURS.test(text) || (isNamed && BARE.test(text));
}

function digitsOf(text: string): string {
  return text.replace(/[^0-9a-f]/gi, "").toLowerCase();
}

/** Between the least and the most that begin so. */
function startingWith(value: SQL, digits: string): SQL[] {
  const end = (fill: string) => sql`${digits.padEnd(DIGITS, fill)}::text::macaddr`;
  return [sql`(${value} >= ${end("0")} and ${value} <= ${end("f")})`];
}

const IN_PAIRS = /^(?!.*[0-9a-f]{3})[0-9a-f:]*$/i;
const IN_ANY = /^[0-9a-f]*([.:-][0-9a-f]*)*$/i;

/** In pairs it is compared as addresses are shown; in any other notation, where its field is named, by its digits. */
function onGlob(value: SQL, { glob, field }: Wildcard): SQL[] {
  const texts = glob.filter((part) => typeof part === "string");
  if (texts.every((text) => IN_PAIRS.test(text))) {
    return [sql`${value}::text like ${patternOf(glob)}`];
  }
  if (!field || !texts.every((text) => IN_ANY.test(text))) return [];
  return [sql`replace(${value}::text, ':', '') like ${patternOf(bare(glob))}`];
}

function bare(glob: Glob): Glob {
  return glob.map<GlobPart>((part) => (typeof part === "string" ? digitsOf(part) : part));
}

function asText(value: SQL) {
  const text = sql`${value}::text`;
  return { value: text, lower: text };
}
