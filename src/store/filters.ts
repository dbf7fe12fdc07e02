// Filters of lists: `name=In use`, `name__contains=use`, `id__gte=3`, a repeated parameter for "one of".
import { type TSchema, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { KIND_RULES, type Kind } from "../input/kinds.ts";
import { literal } from "../input/text.ts";
import { readTime } from "../input/times.ts";
import { allInside } from "./tree.ts";

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
  /** That table, if its records may be inside of each other. See tree.ts. */
  tree?: SQL;
}

export type FieldsSql = Record<string, FieldSql>;

interface Lookup {
  /** What the parameter says of the field. */
  means: string;
  condition: (column: SQL, values: SQL, equals: SQL) => SQL;
  values?: "pattern" | "boolean";
}

const EQUALS: Lookup = {
  means: "is this; repeat the parameter for one of several",
  condition: (column, values, equals) => sql`${column} ${equals} any(${values})`,
};

// Said so that PostgreSQL can reckon with the values and an index can help, which none does with `all`.
const LOOKUPS: Record<string, Lookup> = {
  "": EQUALS,
  ne: {
    means: "is not this",
    condition: (column, values, equals) => sql`(${column} ${equals} any(${values})) is not true`,
  },
  gte: {
    means: "is this or more",
    condition: (column, values) =>
      sql`(${column} >= (${values})[1] and ${column} >= all(${values}))`,
  },
  lte: {
    means: "is this or less",
    condition: (column, values) =>
      sql`(${column} <= (${values})[1] and ${column} <= all(${values}))`,
  },
  contains: {
    means: "contains this text, in any case",
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  startswith: {
    means: "starts with this text, in any case",
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  under: { ...EQUALS, means: "is this or inside of it" },
  isnull: {
    means: "is null (true) or not (false)",
    condition: (absent, values) =>
      sql`((${absent}) and true = any(${values}) or not (${absent}) and false = any(${values}))`,
    values: "boolean",
  },
};

export interface Filter {
  field: string;
  /** Empty for "is this". */
  lookup: string;
  /** Of the parameter, which may be repeated. */
  schema: TSchema;
}

/** Every filter that these fields offer, by the name of its parameter. */
export function filtersOf(
  fields: Record<string, Pick<FieldSql, "kind" | "tree">>,
): Map<string, Filter> {
  const filters = Object.entries(fields).flatMap(([field, { kind, tree }]) =>
    [...KIND_RULES[kind].lookups, ...(tree ? ["under"] : [])].map((lookup): [string, Filter] => {
      const { means, values } = LOOKUPS[lookup] ?? EQUALS;
      const items = KIND_RULES[values === "boolean" ? "boolean" : kind].schema;
      const schema = Type.Optional(Type.Array(items, { title: `${field} ${means}` }));
      return [lookup ? `${field}__${lookup}` : field, { field, lookup, schema }];
    }),
  );
  return new Map(filters);
}

export interface Condition {
  where: SQL;
  /** It asks nothing of tables beside the records' own. */
  isOwn: boolean;
  /** It asks for one key, of which PostgreSQL plans without knowing which. */
  isKey: boolean;
}

/** The condition that a filter by a field asks for, with values that its schema allows. */
export function condition(field: FieldSql, lookup: string, texts: string[]): Condition {
  return {
    where: field.among
      ? amongMany(field, { among: field.among, lookup, texts })
      : ask(field, lookup, texts),
    isOwn: !field.absent || (field.key !== undefined && lookup !== "isnull"),
    isKey: field.key !== undefined && isOne(lookup, texts),
  };
}

/** What a list is sorted by: names as people look for them, whatever their case. */
export function sortable({ kind, column }: FieldSql): SQL {
  return KIND_RULES[kind].fold?.column(column) ?? column;
}

function amongMany(
  field: FieldSql,
  { among, lookup, texts }: { among: SQL; lookup: string; texts: string[] },
): SQL {
  const some = (wanted: SQL) => sql`exists (select from ${among} and ${wanted})`;
  if (lookup === "ne") return sql`not ${some(ask(field, "", texts))}`;
  if (lookup !== "isnull") return some(ask(field, lookup, texts));
  return ask(
    { ...field, absent: sql`not ${some(sql`${field.column} is not null`)}` },
    "isnull",
    texts,
  );
}

function isOne(lookup: string, texts: string[]): boolean {
  return lookup === "" && texts.length === 1;
}

// No two are called the same. An index that begins with the key holds those of one key in the order of the list.
function askByKey({ key, keys, tree, ...field }: FieldSql, lookup: string, texts: string[]): SQL {
  const isNot = lookup === "ne";
  const called = ask({ ...field, absent: undefined }, isNot ? "" : lookup, texts);
  if (tree && lookup === "under") {
    return sql`${key} in (${allInside(tree, sql`${keys} and ${called}`)})`;
  }
  if (isNot) return sql`(${key} in (${keys} and ${called})) is not true`;
  return sql`${key} ${isOne(lookup, texts) ? sql`=` : sql`in`} (${keys} and ${called})`;
}

function ask(field: FieldSql, lookup: string, texts: string[]): SQL {
  if (field.key && lookup !== "isnull") return askByKey(field, lookup, texts);
  const comparison = LOOKUPS[lookup] ?? EQUALS;
  const { column, absent } = field;
  if (comparison.values === "boolean") {
    const values = sql`${sql.param(texts)}::text[]::boolean[]`;
    return comparison.condition(absent ?? sql`${column} is null`, values, sql`=`);
  }
  const wanted =
    comparison.values === "pattern"
      ? comparison.condition(column, patterns(lookup, texts), sql`ilike`)
      : compare(field, { lookup: comparison, texts });
  // It goes without saying, but not for an index of those alone that have one.
  return absent && lookup !== "ne" ? sql`(${wanted} and not (${absent}))` : wanted;
}

function compare(field: FieldSql, { lookup, texts }: { lookup: Lookup; texts: string[] }): SQL {
  if (field.kind === "time") return compareTimes(field.column, { lookup, texts });
  const { fold, type, equals = sql`=` } = KIND_RULES[field.kind];
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

type Fold = NonNullable<(typeof KIND_RULES)["name"]["fold"]>;

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
