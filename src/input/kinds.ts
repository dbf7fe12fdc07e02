// The kinds of fields: the values that filters accept, and how they are compared.
import { FormatRegistry, type TSchema, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { readAddress, readBlock } from "./addresses.ts";
import { changeParameter, readPublicId } from "./change_ids.ts";
import { CODE } from "./error_codes.ts";
import { LARGEST_KEY } from "./keys.ts";
import { MAC_ADDRESS, TRUE_OR_FALSE } from "./shape.ts";
import { textError } from "./text.ts";
import { readTime } from "./times.ts";

/**
 * `code` is stored in upper case and `label` in lower; filters accept any case. `change` is the number of a change set, of
 * which callers get the id. `value` is only shown.
 */
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
  | "number"
  | "date"
  | "change"
  | "list"
  | "tags"
  | "value";

interface KindRules {
  lookups: readonly string[];
  /** The PostgreSQL type that values are read as. */
  type: SQL;
  /** The schema of a value in a query; its description is the error message. */
  schema: TSchema;
  /** The value in the database, if it is another one. */
  read?: (text: string) => string;
  /** How a column and a value are normalised before they are compared. */
  fold?: { column: (column: SQL) => SQL; value: (value: SQL) => SQL };
  /** The operator for equality, if it is not `=`. */
  equals?: SQL;
}

const ORDERED = ["", "ne", "gte", "lte", "isnull"];
const WORDS = ["", "ne", "contains", "startswith", "isnull"];

// Formats that no pattern can describe. OpenAPI allows custom formats.
FormatRegistry.Set("text", (text) => textError(text) === undefined);
FormatRegistry.Set("timestamp", (text) => readTime(text) !== undefined);
FormatRegistry.Set("address-or-block", isAddressOrBlock);

export const SEARCH_TEXT = Type.String({
  maxLength: 1_000,
  format: "text",
  description: "Use at most 1000 characters of well-formed text",
});

const TEXT = { type: sql`text[]`, schema: SEARCH_TEXT };

const MAC = new RegExp(MAC_ADDRESS.pattern ?? "");

const ADDRESS: KindRules = {
  lookups: ORDERED,
  type: sql`inet[]`,
  schema: Type.String({
    format: "address-or-block",
    description: "Use an address or a block such as 10.0.0.1 or 10.0.0.0/24",
    [CODE]: "not_an_address",
  }),
  equals: sql`&&`,
};

export const TIME = Type.String({
  format: "timestamp",
  maxLength: 40,
  description: "Use a time such as 2026-01-31, 2026-01-31 14:05 (UTC) or 2026-01-31T14:05:00+02:00",
  [CODE]: "not_a_time",
});

export const KIND_RULES: Record<Kind, KindRules> = {
  integer: {
    lookups: ORDERED,
    type: sql`integer[]`,
    schema: Type.Integer({
      minimum: -LARGEST_KEY,
      maximum: LARGEST_KEY,
      description: `Use a whole number from -${LARGEST_KEY} to ${LARGEST_KEY}`,
    }),
  },
  time: {
    lookups: ORDERED,
    type: sql`timestamptz[]`,
    schema: TIME,
  },
  // A time at midnight, UTC, which records show as a day.
  date: {
    lookups: ORDERED,
    type: sql`timestamptz[]`,
    schema: TIME,
  },
  number: {
    lookups: ORDERED,
    type: sql`numeric[]`,
    schema: Type.Number({ minimum: -1e15, maximum: 1e15, description: "Use a number such as 4.5" }),
  },
  change: {
    lookups: ["", "ne", "isnull"],
    type: sql`bigint[]`,
    schema: changeParameter,
    read: (text) => String(readPublicId(text)),
  },
  boolean: {
    lookups: ["", "ne", "isnull"],
    type: sql`boolean[]`,
    schema: TRUE_OR_FALSE,
  },
  mac: {
    lookups: ["", "ne", "isnull"],
    type: sql`macaddr[]`,
    schema: Type.String({
      pattern: MAC_ADDRESS.pattern,
      description: "Use a MAC address such as 02:42:42:00:00:01",
    }),
  },
  // The value is an address or a block. A block selects the addresses in it, and the networks that overlap it.
  ip: ADDRESS,
  block: ADDRESS,
  text: { ...TEXT, lookups: WORDS },
  name: { ...TEXT, lookups: WORDS, fold: { column: lower, value: lowerAsNames } },
  code: { ...TEXT, lookups: WORDS, fold: { column: asIs, value: upper } },
  label: { ...TEXT, lookups: WORDS, fold: { column: asIs, value: lowerAsLabels } },
  list: { ...TEXT, lookups: ["", "isnull"] },
  tags: { ...TEXT, lookups: ["", "ne", "isnull"], read: (text) => text.trim().toLowerCase() },
  value: { ...TEXT, lookups: [] },
};

/** MAC addresses in any notation that people and programs use. */
export function notMac(text: unknown): string {
  return `'${text}' is not a MAC address such as 02:42:42:00:00:01`;
}

export function isMac(text: string): boolean {
  return MAC.test(text);
}

function isAddressOrBlock(text: string): boolean {
  return readAddress(text) !== undefined || readBlock(text) !== undefined;
}

// As in the unique index on names, so that it can be used.
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
