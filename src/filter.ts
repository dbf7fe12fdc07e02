// Filters of lists: `name=In use`, `name__contains=use`, `id__gte=3`, a repeated parameter for "one of".
import { type SQL, sql } from "drizzle-orm";
import type { Fault } from "./errors.ts";
import { type Kind, NATURES } from "./kinds.ts";
import { literal } from "./text.ts";

export interface Field {
  kind: Kind;
  column: SQL;
  /** What stands in its place with `recursive=true`: the record where a name stands otherwise. */
  nested?: SQL;
  /** Filtered and sorted by, but not part of the record. */
  hidden?: boolean;
}

export type Fields = Record<string, Field>;

interface Lookup {
  condition: (column: SQL, values: SQL) => SQL;
  values?: "pattern" | "boolean";
}

// Said so that PostgreSQL can reckon with the values and an index can help, which none does with `all`.
const LOOKUPS: Record<string, Lookup> = {
  "": { condition: (column, values) => sql`${column} = any(${values})` },
  ne: { condition: (column, values) => sql`(${column} = any(${values})) is not true` },
  gte: {
    condition: (column, values) =>
      sql`(${column} >= (${values})[1] and ${column} >= all(${values}))`,
  },
  lte: {
    condition: (column, values) =>
      sql`(${column} <= (${values})[1] and ${column} <= all(${values}))`,
  },
  contains: {
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  startswith: {
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  isnull: {
    condition: (column, values) =>
      sql`(${column} is null and true = any(${values}) or ${column} is not null and false = any(${values}))`,
    values: "boolean",
  },
};

export interface Offer {
  name: string;
  field: string;
  kind: Kind;
  lookup: string;
}

/** Every filter that these fields offer, with what it takes: for the reference. */
export function lookups(fields: Fields): Offer[] {
  return Object.entries(fields).flatMap(([field, { kind }]) =>
    NATURES[kind].lookups.map((lookup) => ({
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
  if (!field || !lookup || !NATURES[field.kind].lookups.includes(lookupName)) {
    return { field: name, message: "This list has no such parameter" };
  }
  const nature = NATURES[lookup.values === "boolean" ? "boolean" : field.kind];
  if (!texts.every(nature.reads)) return { field: name, message: nature.expected };
  if (lookup.values === "pattern") {
    const patterns = texts.map((text) => pattern(lookupName, text));
    return lookup.condition(field.column, sql`${sql.param(patterns)}::text[]`);
  }
  return compare(field, { lookup, texts });
}

export function isFault(one: SQL | Fault): one is Fault {
  return "field" in one && "message" in one;
}

/** What a list is sorted by: names as people look for them, whatever their case. */
export function sortable({ kind, column }: Field): SQL {
  return NATURES[kind].fold?.column(column) ?? column;
}

function compare(field: Field, { lookup, texts }: { lookup: Lookup; texts: string[] }): SQL {
  const { fold, type } = NATURES[lookup.values === "boolean" ? "boolean" : field.kind];
  if (fold) {
    const folded = texts.length <= FEW ? few(fold, texts) : many(fold, texts);
    return lookup.condition(fold.column(field.column), folded);
  }
  const typed = sql`${sql.param(texts)}::text[]::${type}`;
  return field.kind === "list" && !lookup.values
    ? sql`${field.column} && ${typed}`
    : lookup.condition(field.column, typed);
}

type Fold = NonNullable<(typeof NATURES)["name"]["fold"]>;

// A few values PostgreSQL can reckon with beforehand; more are one statement, however many they are.
const FEW = 8;

function few(fold: Fold, texts: string[]): SQL {
  const each = texts.map((text) => fold.value(sql`${text}::text`));
  return sql`array[${sql.join(each, sql`, `)}]`;
}

function many(fold: Fold, texts: string[]): SQL {
  return sql`array(select ${fold.value(sql`one`)} from unnest(${sql.param(texts)}::text[]) one)`;
}

function pattern(lookup: string, text: string): string {
  return lookup === "startswith" ? `${literal(text)}%` : `%${literal(text)}%`;
}
