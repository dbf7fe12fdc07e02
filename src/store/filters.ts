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
  /** The value with `recursive=true`: a record instead of its name. */
  nested?: SQL;
  /** For filters and sorting, but not part of the record. */
  hidden?: boolean;
  /** If a record has several values: the rows with the column. One of them that matches is enough. */
  valueRows?: SQL;
  /** The value in the record, if it is not the column. */
  recordValue?: SQL;
  /** The join that this value needs besides those of the resource; fields may share one. */
  join?: SQL;
  /** For a column of another table: true of records without a row there. See order.ts. */
  isNull?: SQL;
  /** The reference to that table, and a statement that selects all keys there. See reference.ts. */
  key?: SQL;
  keys?: SQL;
  /** That table, if its records may be inside of each other. See tree.ts. */
  tree?: SQL;
  /** How the values of many records are read at once. */
  batchValue?: BatchValue;
  /** No two records have the same value. */
  isUnique?: boolean;
  /** An index has the value in lower case, in the order of code points, so that it finds how values start. */
  isSorted?: boolean;
  /** For filters by a computed value: rows that hold it, with an index, and the condition that leads to the record. */
  indexedCopy?: { from: SQL; column: SQL };
}

/** A value of each record of a batch: `given` has the ids of its records, and `wanted` their rows. See export/batches.ts. */
export interface BatchValue {
  value: SQL;
  /** The join that the value needs besides those of the resource. */
  join?: SQL;
}

export type FieldsSql = Record<string, FieldSql>;

/** The joins that values need, each once. */
export function joinsOf(values: Array<Pick<FieldSql, "join">>): SQL[] {
  return [...new Set(values.flatMap(({ join }) => join ?? []))];
}

interface FilterLookup {
  /** What the parameter says of the field, after its name. */
  meaning: string;
  condition: (column: SQL, values: SQL, equals: SQL) => SQL;
  values?: "pattern" | "boolean";
}

const EQUAL = sql`=`;

const EQUALS: FilterLookup = {
  meaning: "is this; repeat the parameter for one of several",
  condition: (column, values, equals) => sql`${column} ${equals} any(${values})`,
};

// In `gte` and `lte` the first comparison lets PostgreSQL estimate rows and use an index, which `all` does not.
const LOOKUPS: Record<string, FilterLookup> = {
  "": EQUALS,
  ne: {
    meaning: "is not this",
    condition: (column, values, equals) => sql`(${column} ${equals} any(${values})) is not true`,
  },
  gte: {
    meaning: "is this or more",
    condition: (column, values) =>
      sql`(${column} >= (${values})[1] and ${column} >= all(${values}))`,
  },
  lte: {
    meaning: "is this or less",
    condition: (column, values) =>
      sql`(${column} <= (${values})[1] and ${column} <= all(${values}))`,
  },
  contains: {
    meaning: "contains this text, in any case",
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  startswith: {
    meaning: "starts with this text, in any case",
    condition: (column, values) => sql`${column} ilike any(${values})`,
    values: "pattern",
  },
  under: { ...EQUALS, meaning: "is this or inside it" },
  isnull: {
    meaning: "is null or an empty list (true) or not (false)",
    condition: (isNull, values) =>
      sql`((${isNull}) and true = any(${values}) or not (${isNull}) and false = any(${values}))`,
    values: "boolean",
  },
};

export interface FieldFilter {
  field: string;
  /** Empty for equality. */
  lookup: string;
  /** Of the parameter, which may be repeated. */
  schema: TSchema;
}

/** Every filter that these fields offer, by the name of its parameter. */
export function filtersOf(
  fields: Record<string, Pick<FieldSql, "kind" | "tree">>,
): Map<string, FieldFilter> {
  const filters = Object.entries(fields).flatMap(([field, { kind, tree }]) =>
    [...KIND_RULES[kind].lookups, ...(tree ? ["under"] : [])].map(
      (lookup): [string, FieldFilter] => {
        const { meaning, values } = LOOKUPS[lookup] ?? EQUALS;
        const items = KIND_RULES[values === "boolean" ? "boolean" : kind].schema;
        const schema = Type.Optional(Type.Array(items, { title: `${field} ${meaning}` }));
        return [lookup ? `${field}__${lookup}` : field, { field, lookup, schema }];
      },
    ),
  );
  return new Map(filters);
}

interface Condition {
  where: SQL;
  /** It needs only the table of the records. */
  isOwn: boolean;
}

/** The condition of a filter, with values that its schema allows. */
export function condition(field: FieldSql, lookup: string, texts: string[]): Condition {
  const { indexedCopy, valueRows = indexedCopy?.from } = field;
  const { column } = indexedCopy ?? field;
  return {
    where: valueRows
      ? conditionOnMany({ ...field, column }, { valueRows, lookup, texts })
      : conditionOn(field, lookup, texts),
    isOwn: !field.isNull || (field.key !== undefined && lookup !== "isnull"),
  };
}

/** The column that a list is sorted by: names without regard to case. */
export function sortable({ kind, column }: FieldSql): SQL {
  return KIND_RULES[kind].fold?.column(column) ?? column;
}

function conditionOnMany(
  field: FieldSql,
  { valueRows, lookup, texts }: { valueRows: SQL; lookup: string; texts: string[] },
): SQL {
  const exists = (wanted: SQL) => sql`exists (select from ${valueRows} and ${wanted})`;
  if (lookup === "ne") return sql`not ${exists(conditionOn(field, "", texts))}`;
  if (lookup !== "isnull") return exists(conditionOn(field, lookup, texts));
  return conditionOn(
    { ...field, isNull: sql`not ${exists(sql`${field.column} is not null`)}` },
    "isnull",
    texts,
  );
}

// Names are unique. An index that begins with the key has the records of one key in the order of the list.
function conditionByKey(
  { key, keys, tree, ...field }: FieldSql,
  lookup: string,
  texts: string[],
): SQL {
  const isNot = lookup === "ne";
  const byName = conditionOn({ ...field, isNull: undefined }, isNot ? "" : lookup, texts);
  if (tree && lookup === "under") {
    return sql`${key} in (${allInside(tree, sql`${keys} and ${byName}`)})`;
  }
  if (isNot) return sql`(${key} in (${keys} and ${byName})) is not true`;
  return sql`${key} ${lookup === "" && texts.length === 1 ? sql`=` : sql`in`} (${keys} and ${byName})`;
}

function conditionOn(field: FieldSql, lookup: string, texts: string[]): SQL {
  if (field.key && lookup !== "isnull") return conditionByKey(field, lookup, texts);
  const comparison = LOOKUPS[lookup] ?? EQUALS;
  const { column, isNull } = field;
  if (comparison.values === "boolean") {
    const values = sql`${sql.param(texts)}::text[]::boolean[]`;
    return comparison.condition(isNull ?? isEmpty(field), values, EQUAL);
  }
  const wanted =
    comparison.values === "pattern"
      ? (range(field, lookup, texts) ??
        comparison.condition(column, patterns(lookup, texts), EQUAL))
      : compare(field, { lookup: comparison, texts });
  // Redundant, but a partial index of the records with a reference needs it.
  return isNull && lookup !== "ne" ? sql`(${wanted} and not (${isNull}))` : wanted;
}

/** An empty list holds no more than null does. */
function isEmpty({ kind, column }: FieldSql): SQL {
  return isList(kind) ? sql`coalesce(cardinality(${column}), 0) = 0` : sql`${column} is null`;
}

function compare(
  field: FieldSql,
  { lookup, texts }: { lookup: FilterLookup; texts: string[] },
): SQL {
  if (field.kind === "time" || field.kind === "date")
    return compareTimes(field.column, { lookup, texts });
  const { fold, type, read, equals = EQUAL } = KIND_RULES[field.kind];
  if (fold) {
    const folded = texts.length <= FEW ? arrayOf(fold, texts) : unnestedArray(fold, texts);
    return lookup.condition(fold.column(field.column), folded, equals);
  }
  const typed = sql`${sql.param(read ? texts.map(read) : texts)}::text[]::${type}`;
  if (!isList(field.kind)) return lookup.condition(field.column, typed, equals);
  const hasOne = sql`${field.column} && ${typed}`;
  return lookup === LOOKUPS.ne ? sql`not (${hasOne})` : hasOne;
}

function isList(kind: FieldSql["kind"]): boolean {
  return kind === "list" || kind === "tags";
}

// A time means its whole period: 14:05 matches everything that is shown as 14:05.
function compareTimes(
  column: SQL,
  { lookup, texts }: { lookup: FilterLookup; texts: string[] },
): SQL {
  const named = texts.flatMap((text) => readTime(text) ?? []);
  const array = (times: string[]) => sql`${sql.param(times)}::text[]::timestamptz[]`;
  const [from, until] = [array(named.map((one) => one.from)), array(named.map((one) => one.until))];
  if (lookup === LOOKUPS.gte) return lookup.condition(column, from, sql`=`);
  if (lookup === LOOKUPS.lte) {
    return sql`(${column} < (${until})[1] and ${column} < all(${until}))`;
  }
  const isInPeriod = sql`exists (
    select from unnest(${from}, ${until}) as named(since, until)
    where ${column} >= named.since and ${column} < named.until)`;
  return lookup === LOOKUPS.ne ? sql`(${isInPeriod}) is not true` : isInPeriod;
}

type Fold = NonNullable<(typeof KIND_RULES)["name"]["fold"]>;

// PostgreSQL can estimate with a few values; more are one statement, whatever their number.
const FEW = 8;

function arrayOf(fold: Fold, texts: string[]): SQL {
  const each = texts.map((text) => fold.value(sql`${text}::text`));
  return sql`array[${sql.join(each, sql`, `)}]`;
}

function unnestedArray(fold: Fold, texts: string[]): SQL {
  return sql`array(select ${fold.value(sql`one`)} from unnest(${sql.param(texts)}::text[]) one)`;
}

/** For the start of a text that an index has in order: the texts between it and the first one behind. */
function range(field: FieldSql, lookup: string, texts: string[]): SQL | undefined {
  const isSorted = field.isSorted ?? KIND_RULES[field.kind].fold !== undefined;
  if (lookup !== "startswith" || !isSorted || texts.length > FEW) return undefined;
  const each = texts.map((text) => startsWith(field, text));
  return sql`(${sql.join(each, sql` or `)})`;
}

/** True of texts that start with this one, in any case. The index is that of the search; a label is in lower case. */
export function startsWith({ kind, column }: Pick<FieldSql, "kind" | "column">, text: string): SQL {
  if (text === "") return sql`${column} is not null`;
  const [value, prefix] =
    kind === "label"
      ? [sql`(${column} collate "C")`, sql`lower(${text}::text collate "C")`]
      : [sql`(lower(${column}) collate "C")`, sql`lower(${text}::text collate names)`];
  return sql`(${value} >= (${prefix} collate "C") and ${value} < (after_prefix(${prefix}) collate "C"))`;
}

function patterns(lookup: string, texts: string[]): SQL {
  const before = lookup === "startswith" ? "" : "%";
  return sql`${sql.param(texts.map((text) => `${before}${literal(text)}%`))}::text[]`;
}
