// Filters of lists: `name=In use`, `name__contains=use`, `id__gte=3`, a repeated parameter for "one of".
import { type SQL, sql } from "drizzle-orm";
import type { Fault } from "../input/errors.ts";
import { type Kind, NATURES } from "../input/kinds.ts";
import { literal } from "../input/text.ts";
import { readTime } from "../input/times.ts";

export interface FieldSql {
  kind: Kind;
  column: SQL;
  /** What stands in its place with `recursive=true`: the record where a name stands otherwise. */
  nested?: SQL;
  /** Filtered and sorted by, but not part of the record. */
  hidden?: boolean;
  /** The rows that the column belongs to, where a record has many: it matches when one of them does. */
  among?: SQL;
  /** What stands in the record, where that is not the column. */
  shown?: SQL;
  /** Of a column in another table: true of a record that has none there. See order.ts. */
  absent?: SQL;
  /** The key that leads to that table, and a statement of all keys there. See reference.ts. */
  key?: SQL;
  keys?: SQL;
}

export type FieldsSql = Record<string, FieldSql>;

interface Lookup {
  condition: (column: SQL, values: SQL, equals: SQL) => SQL;
  values?: "pattern" | "boolean";
}

const EQUALS: Lookup = {
  condition: (column, values, equals) => sql`${column} ${equals} any(${values})`,
};

// Said so that PostgreSQL can reckon with the values and an index can help, which none does with `all`.
const LOOKUPS: Record<string, Lookup> = {
  "": EQUALS,
  ne: {
    condition: (column, values, equals) => sql`(${column} ${equals} any(${values})) is not true`,
  },
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
    condition: (absent, values) =>
      sql`((${absent}) and true = any(${values}) or not (${absent}) and false = any(${values}))`,
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
export function lookups(fields: FieldsSql): Offer[] {
  return Object.entries(fields).flatMap(([field, { kind }]) =>
    NATURES[kind].lookups.map((lookup) => ({
      name: lookup ? `${field}__${lookup}` : field,
      field,
      kind,
      lookup,
    })),
  );
}

export interface Condition {
  where: SQL;
  /** It asks nothing of tables beside the records' own. */
  isOwn: boolean;
  /** It asks for one key, of which PostgreSQL plans without knowing which. */
  isKey: boolean;
}

/** The condition that one parameter asks for, or what is wrong with it. */
export function condition(fields: FieldsSql, name: string, texts: string[]): Condition | Fault {
  const [, fieldName = name, lookupName = ""] = /^(.+?)__([a-z]+)$/.exec(name) ?? [];
  const field = Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
  const lookup = Object.hasOwn(LOOKUPS, lookupName) ? LOOKUPS[lookupName] : undefined;
  if (!field || !lookup || !NATURES[field.kind].lookups.includes(lookupName)) {
    return { field: name, message: "This list has no such parameter" };
  }
  const nature = NATURES[lookup.values === "boolean" ? "boolean" : field.kind];
  if (!texts.every(nature.reads)) return { field: name, message: nature.expected };
  return {
    where: field.among
      ? amongMany(field, { among: field.among, lookupName, texts })
      : ask(field, lookupName, texts),
    isOwn: !field.absent || (field.key !== undefined && lookupName !== "isnull"),
    isKey: field.key !== undefined && isOne(lookupName, texts),
  };
}

export function isFault(one: Condition | Fault): one is Fault {
  return "message" in one;
}

/** What a list is sorted by: names as people look for them, whatever their case. */
export function sortable({ kind, column }: FieldSql): SQL {
  return NATURES[kind].fold?.column(column) ?? column;
}

function amongMany(
  field: FieldSql,
  { among, lookupName, texts }: { among: SQL; lookupName: string; texts: string[] },
): SQL {
  const some = (wanted: SQL) => sql`exists (select from ${among} and ${wanted})`;
  if (lookupName === "ne") return sql`not ${some(ask(field, "", texts))}`;
  if (lookupName !== "isnull") return some(ask(field, lookupName, texts));
  return ask(
    { ...field, absent: sql`not ${some(sql`${field.column} is not null`)}` },
    "isnull",
    texts,
  );
}

function isOne(lookupName: string, texts: string[]): boolean {
  return lookupName === "" && texts.length === 1;
}

// No two are called the same. An index that begins with the key holds those of one key in the order of the list.
function askByKey({ key, keys, ...field }: FieldSql, lookupName: string, texts: string[]): SQL {
  const isNot = lookupName === "ne";
  const called = ask({ ...field, absent: undefined }, isNot ? "" : lookupName, texts);
  if (isNot) return sql`(${key} in (${keys} and ${called})) is not true`;
  return sql`${key} ${isOne(lookupName, texts) ? sql`=` : sql`in`} (${keys} and ${called})`;
}

function ask(field: FieldSql, lookupName: string, texts: string[]): SQL {
  if (field.key && lookupName !== "isnull") return askByKey(field, lookupName, texts);
  const lookup = LOOKUPS[lookupName] ?? EQUALS;
  const { column, absent } = field;
  if (lookup.values === "boolean") {
    const values = sql`${sql.param(texts)}::text[]::boolean[]`;
    return lookup.condition(absent ?? sql`${column} is null`, values, sql`=`);
  }
  const wanted =
    lookup.values === "pattern"
      ? lookup.condition(column, patterns(lookupName, texts), sql`ilike`)
      : compare(field, { lookup, texts });
  // It goes without saying, but not for an index of those alone that have one.
  return absent && lookupName !== "ne" ? sql`(${wanted} and not (${absent}))` : wanted;
}

function compare(field: FieldSql, { lookup, texts }: { lookup: Lookup; texts: string[] }): SQL {
  if (field.kind === "time") return compareTimes(field.column, { lookup, texts });
  const { fold, type, equals = sql`=` } = NATURES[field.kind];
  if (fold) {
    const folded = texts.length <= FEW ? few(fold, texts) : many(fold, texts);
    return lookup.condition(fold.column(field.column), folded, equals);
  }
  const typed = sql`${sql.param(texts)}::text[]::${type}`;
  return field.kind === "list"
    ? sql`${field.column} && ${typed}`
    : lookup.condition(field.column, typed, equals);
}

// A time names its whole length: what is shown as 14:05 was at 14:05, and not later.
function compareTimes(column: SQL, { lookup, texts }: { lookup: Lookup; texts: string[] }): SQL {
  const named = texts.flatMap((text) => readTime(text) ?? []);
  const array = (times: string[]) => sql`${sql.param(times)}::text[]::timestamptz[]`;
  const [from, until] = [array(named.map((one) => one.from)), array(named.map((one) => one.until))];
  if (lookup === LOOKUPS.gte) return lookup.condition(column, from, sql`=`);
  if (lookup === LOOKUPS.lte) {
    return sql`(${column} < (${until})[1] and ${column} < all(${until}))`;
  }
  const among = sql`exists (
    select from unnest(${from}, ${until}) as named(since, until)
    where ${column} >= named.since and ${column} < named.until)`;
  return lookup === LOOKUPS.ne ? sql`(${among}) is not true` : among;
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

function patterns(lookup: string, texts: string[]): SQL {
  const before = lookup === "startswith" ? "" : "%";
  return sql`${sql.param(texts.map((text) => `${before}${literal(text)}%`))}::text[]`;
}
