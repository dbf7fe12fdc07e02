// Filters of lists: `name=In use`, `name__contains=use`, `id__gte=3`, a repeated parameter for "one of".
import { type SQL, sql } from "drizzle-orm";
import type { Fault } from "./errors.ts";
import { flaw } from "./text.ts";

export type Kind = "integer" | "text" | "name" | "boolean" | "time" | "list";

export interface Field {
  kind: Kind;
  column: SQL;
  /** Filtered and sorted by, but not part of the record. */
  hidden?: boolean;
}

export type Fields = Record<string, Field>;

interface Lookup {
  condition: (column: SQL, values: SQL) => SQL;
  values?: "pattern" | "boolean";
}

const LOOKUPS: Record<string, Lookup> = {
  "": { condition: (column, values) => sql`${column} = any(${values})` },
  ne: { condition: (column, values) => sql`(${column} = any(${values})) is not true` },
  gte: { condition: (column, values) => sql`${column} >= all(${values})` },
  lte: { condition: (column, values) => sql`${column} <= all(${values})` },
  contains: {
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  startswith: {
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  isnull: {
    condition: (column, values) => sql`(${column} is null) = any(${values})`,
    values: "boolean",
  },
};

const ORDERED = ["", "ne", "gte", "lte", "isnull"];
const WORDS = ["", "ne", "contains", "startswith", "isnull"];
const SENSIBLE: Record<Kind, readonly string[]> = {
  integer: ORDERED,
  time: ORDERED,
  text: WORDS,
  name: WORDS,
  boolean: ["", "ne"],
  list: ["", "isnull"],
};

const TYPES: Record<Kind, SQL> = {
  integer: sql`integer[]`,
  time: sql`timestamptz[]`,
  text: sql`text[]`,
  name: sql`text[]`,
  boolean: sql`boolean[]`,
  list: sql`text[]`,
};

/** Every filter that these fields offer, with what it takes: for the reference. */
export function lookups(
  fields: Fields,
): Array<{ name: string; field: string; kind: Kind; lookup: string }> {
  return Object.entries(fields).flatMap(([field, { kind }]) =>
    SENSIBLE[kind].map((lookup) => ({
      name: lookup ? `${field}__${lookup}` : field,
      field,
      kind,
      lookup,
    })),
  );
}

/** The condition that one parameter asks for, or what is wrong with it. */
export function condition(fields: Fields, name: string, texts: string[]): SQL | Fault {
  const [, fieldName = name, lookupName = ""] = /^(.+?)__([a-z]+)$/.exec(name) ?? [];
  const field = Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
  const lookup = Object.hasOwn(LOOKUPS, lookupName) ? LOOKUPS[lookupName] : undefined;
  if (!field || !lookup || !SENSIBLE[field.kind].includes(lookupName)) {
    return { field: name, message: "This list has no such parameter" };
  }
  const kind = lookup.values === "boolean" ? "boolean" : field.kind;
  const values = texts.map((text) =>
    lookup.values === "pattern" ? pattern(lookupName, text) : text,
  );
  const faulty = texts.find((text) => !READABLE[kind](text));
  if (faulty !== undefined) return { field: name, message: EXPECTED[kind] };
  const whole = kind === "name" && !lookup.values;
  const column = whole ? sql`lower(${field.column})` : field.column;
  const list = sql.param(whole ? values.map((value) => value.toLowerCase()) : values);
  const typed = sql`${list}::text[]::${TYPES[kind]}`;
  return kind === "list" ? sql`${column} && ${typed}` : lookup.condition(column, typed);
}

export function isFault(one: SQL | Fault): one is Fault {
  return "field" in one && "message" in one;
}

const READABLE: Record<Kind, (text: string) => boolean> = {
  integer: (text) => /^-?[0-9]{1,10}$/.test(text) && Math.abs(Number(text)) <= 2_147_483_647,
  boolean: (text) => text === "true" || text === "false",
  time: (text) => TIME.test(text) && !Number.isNaN(Date.parse(text.replace(" ", "T"))),
  text: (text) => text.length <= 1_000 && flaw(text) === undefined,
  name: (text) => text.length <= 1_000 && flaw(text) === undefined,
  list: (text) => text.length <= 1_000 && flaw(text) === undefined,
};

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$/;

const EXPECTED: Record<Kind, string> = {
  integer: "Use a whole number from -2147483647 to 2147483647",
  boolean: "Use true or false",
  time: "Use a time in UTC such as 2026-01-31 or 2026-01-31 14:05",
  text: "Use at most 1000 characters of well-formed text",
  name: "Use at most 1000 characters of well-formed text",
  list: "Use at most 1000 characters of well-formed text",
};

function pattern(lookup: string, text: string): string {
  const literal = text.replace(/[\\%_]/g, "\\$&");
  return lookup === "startswith" ? `${literal}%` : `%${literal}%`;
}
