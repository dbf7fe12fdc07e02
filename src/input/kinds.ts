// The kinds of fields that records have: what a filter by them takes, and how it is compared.
import { type SQL, sql } from "drizzle-orm";
import { readAddress, readBlock } from "./addresses.ts";
import { LARGEST_KEY } from "./keys.ts";
import { flaw } from "./text.ts";
import { readTime } from "./times.ts";

/** `code` is kept in upper case and `label` in lower, both asked for in any; `value` is shown and nothing more. */
export type Kind =
  | "integer"
  | "text"
  | "name"
  | "code"
  | "label"
  | "mac"
  | "ip"
  | "block"
  | "boolean"
  | "time"
  | "list"
  | "value";

export interface Nature {
  lookups: readonly string[];
  /** The PostgreSQL type that values are read as. */
  type: SQL;
  reads: (text: string) => boolean;
  expected: string;
  /** As JSON Schema names it, for the reference. */
  schema: { type: string };
  /** How a column and a value become equal where they mean the same. */
  fold?: { column: (column: SQL) => SQL; value: (value: SQL) => SQL };
  /** What stands for "is this" where it is not `=`. */
  equals?: SQL;
}

const ORDERED = ["", "ne", "gte", "lte", "isnull"];
const WORDS = ["", "ne", "contains", "startswith", "isnull"];

const TEXT = {
  type: sql`text[]`,
  reads: (text: string) => text.length <= 1_000 && flaw(text) === undefined,
  expected: "Use at most 1000 characters of well-formed text",
  schema: { type: "string" },
};

const MAC = /^[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}$|^[0-9a-f]{4}([.:-])[0-9a-f]{4}\2[0-9a-f]{4}$/i;

const ADDRESS: Nature = {
  lookups: ORDERED,
  type: sql`inet[]`,
  reads: isAddressOrBlock,
  expected: "Use an address or a block such as 10.0.0.1 or 10.0.0.0/24",
  schema: { type: "string" },
  equals: sql`&&`,
};

export const NATURES: Record<Kind, Nature> = {
  integer: {
    lookups: ORDERED,
    type: sql`integer[]`,
    reads: (text) => /^-?[0-9]{1,10}$/.test(text) && Math.abs(Number(text)) <= LARGEST_KEY,
    expected: `Use a whole number from -${LARGEST_KEY} to ${LARGEST_KEY}`,
    schema: { type: "integer" },
  },
  time: {
    lookups: ORDERED,
    type: sql`timestamptz[]`,
    reads: (text) => readTime(text) !== undefined,
    expected: "Use a time such as 2026-01-31, 2026-01-31 14:05 (UTC) or 2026-01-31T14:05:00+02:00",
    schema: { type: "string" },
  },
  boolean: {
    lookups: ["", "ne"],
    type: sql`boolean[]`,
    reads: (text) => /^(true|false)$/i.test(text),
    expected: "Use true or false",
    schema: { type: "boolean" },
  },
  mac: {
    lookups: ["", "ne", "isnull"],
    type: sql`macaddr[]`,
    reads: (text) => MAC.test(text),
    expected: "Use a MAC address such as 02:42:42:00:00:01",
    schema: { type: "string" },
  },
  // An address, or all of a block: of a network, whatever it shares addresses with.
  ip: ADDRESS,
  block: ADDRESS,
  text: { ...TEXT, lookups: WORDS },
  name: { ...TEXT, lookups: WORDS, fold: { column: lower, value: lowerAsNames } },
  code: { ...TEXT, lookups: WORDS, fold: { column: asIs, value: upper } },
  label: { ...TEXT, lookups: WORDS, fold: { column: asIs, value: lowerAsLabels } },
  list: { ...TEXT, lookups: ["", "isnull"] },
  value: { ...TEXT, lookups: [] },
};

/** MAC addresses in any notation that people and programs use. */
export function isMac(text: string): boolean {
  return MAC.test(text);
}

function isAddressOrBlock(text: string): boolean {
  return readAddress(text) !== undefined || readBlock(text) !== undefined;
}

// As the index sees it that keeps names unique.
function lower(column: SQL): SQL {
  return sql`lower(${column})`;
}

function lowerAsNames(value: SQL): SQL {
  return sql`lower(${value} collate names)`;
}

// Labels compare byte by byte.
function lowerAsLabels(value: SQL): SQL {
  return sql`lower(${value} collate "C")`;
}

function upper(value: SQL): SQL {
  return sql`upper(${value})`;
}

function asIs(column: SQL): SQL {
  return column;
}
