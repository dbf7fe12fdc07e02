// What a leaf asks of one value, by its kind: conditions in SQL, none where the value can never be it.
import { type SQL, sql } from "drizzle-orm";
import { readAddress } from "../../input/addresses.ts";
import { type Period, periodBetween, periodOf, periodStarting } from "../language/dates.ts";
import type { Source } from "../language/search_document.ts";
import type { Terms } from "../language/tree.ts";
import { type Asking, between, onKeyword } from "./keyword.ts";
import { isBlockOfAddresses, isDecimal, isInteger } from "./literal_values.ts";
import { onMac } from "./mac.ts";
import { onTerms } from "./merged_terms.ts";
import { onText } from "./text.ts";
import { among } from "./value_lists.ts";

export function conditionsOn(source: Source, leaf: Asking | Terms, now: number): SQL[] {
  if (leaf.kind === "terms") return onTerms(source, leaf, (one) => conditionsOn(source, one, now));
  const { value } = source;
  if (leaf.kind === "exists" || (leaf.kind === "range" && !leaf.from && !leaf.to)) {
    return [sql`${value} is not null`];
  }
  if ("values" in leaf && leaf.values) return among(source, leaf.values[source.path] ?? []);
  switch (source.kind) {
    case "number":
      return onNumber(value, leaf);
    case "boolean":
      return onTruth(value, leaf);
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

function onNumber(value: SQL, leaf: Asking): SQL[] {
  const read = (text: string) => {
    if (isInteger(text)) return sql`${text}::text::bigint`;
    return isDecimal(text) ? sql`${text}::text::numeric` : undefined;
  };
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

function onTruth(value: SQL, leaf: Asking): SQL[] {
  const read = (text: string) =>
    /^(true|false)$/i.test(text) ? sql`${text.toLowerCase()}::text::boolean` : undefined;
  if (leaf.kind === "term" || leaf.kind === "phrase") return equal(value, read(leaf.text));
  return leaf.kind === "range" ? between(value, leaf, read) : [];
}

const MINUTE = 60_000;

/** Times count by the minute, as they are shown. A date is found by its beginning where its field is named. */
function onTime(value: SQL, leaf: Asking, now: number): SQL[] {
  const period = meantBy(leaf, now);
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

function meantBy(leaf: Asking, now: number): Period | undefined {
  if (leaf.kind === "prefix") return leaf.field && periodStarting(leaf.text);
  if (leaf.kind === "range") return periodBetween(leaf, now);
  return leaf.kind === "term" || leaf.kind === "phrase" ? periodOf(leaf.text, now) : undefined;
}

/** Beyond the years that PostgreSQL knows, every time is before or after. */
function moment(milliseconds: number): SQL {
  const year = 31_557_600_000;
  const seconds = Math.min(Math.max(milliseconds, -4_000 * year), 8_000 * year) / 1_000;
  return sql`to_timestamp(${String(seconds)}::text::double precision)`;
}

/** By value where addresses and blocks are meant; else as it is written. Blocks are met by what they share addresses with. */
function onAddress(value: SQL, leaf: Asking, meets = sql`<<=`): SQL[] {
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
    const written = sql`(host(${value}) collate "C")`;
    return onKeyword({ value: written, lower: written }, leaf);
  }
  const isKnown = readAddress(leaf.text) !== undefined || isBlockOfAddresses(leaf.text);
  return isKnown ? [sql`${value} ${meets} ${leaf.text}::text::inet`] : [];
}

const OF_ADDRESSES = /^(?!.*[0-9a-f]{5})[0-9a-f:.]*$/;

/** Whether the texts in it can be parts of such values: most cannot, and then nobody need look. */
function isWritten(leaf: Asking, characters: RegExp): boolean {
  if (leaf.kind === "prefix") return characters.test(leaf.text.toLowerCase());
  if (leaf.kind !== "wildcard") return true;
  return leaf.glob.every((part) => typeof part !== "string" || characters.test(part.toLowerCase()));
}

function equal(value: SQL, wanted: SQL | undefined): SQL[] {
  return wanted ? [sql`${value} = ${wanted}`] : [];
}
