// Parts of the kinds of fields: a column, search sources, a nested record.
import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Kind } from "../input/kinds.ts";
import type { SearchSource, ValueKind } from "../search/document.ts";
import type { BatchValue } from "./filters.ts";
import { jsonObject } from "./reference.ts";

/** Fields of another record by their kinds. A reference among them has its key in `<field>_id` and the kind of its name. */
export type Nested = Record<string, Kind | { kind: Kind; table: PgTable }>;

export function columnOf(table: SQL, column: string): SQL {
  return sql`${table}.${sql.identifier(column)}`;
}

export type SearchedRows = Pick<
  SearchSource,
  "id" | "from" | "onlyByName" | "column" | "words" | "within"
>;

const SEARCH_KINDS: Partial<Record<Kind, ValueKind>> = {
  name: "keyword",
  code: "keyword",
  label: "keyword",
  text: "text",
  integer: "number",
  number: "number",
  date: "time",
  boolean: "boolean",
  time: "time",
  ip: "address",
  block: "block",
  mac: "mac",
};

export function sourceOf(kind: Kind, path: string, rows: SearchedRows, value: SQL): SearchSource[] {
  const found = SEARCH_KINDS[kind];
  if (!found) return [];
  return [{ ...rows, path, kind: found, value, ...lowerIn(kind, value) }];
}

/** Labels are stored in lower case, and names have an index in lower case. */
function lowerIn(kind: Kind, value: SQL): Pick<SearchSource, "lower"> {
  if (kind === "label") return { lower: value };
  return kind === "name" ? { lower: sql`lower(${value})` } : {};
}

export interface RowsOfBatch {
  value: SQL;
  /** Of the values of one record; by default their own. One expression. */
  order?: SQL | undefined;
  /** Tables, and their column with the key of the record; an index has it. */
  from: SQL;
  key: SQL;
  /** Which of these rows count. */
  where?: SQL;
}

/** The values that belong to each record of a batch, as a JSON list; `id` is that of the record. */
export function listOfBatch(
  { name, id }: { name: string; id: SQL },
  { value, order, from, key, where = sql`true` }: RowsOfBatch,
): BatchValue {
  const table = sql.identifier(`many_${name}`);
  // PostgreSQL takes the array for ten keys, whatever its length: it looks them up by the index, in one pass. It would
  // rather read a whole table for each batch.
  const [place, sorted] = order ? [sql`, ${order} as place`, sql`place`] : [sql``, sql`value`];
  return {
    value: sql`coalesce(${table}.value, '[]'::json)`,
    join: sql`left join (
      select found.id,
        json_agg(found.value order by found.${sorted}) filter (where found.value is not null) as value
      from (
        select ${key} as id, ${value} as value${place} from ${from}
        where ${key} = any((select ids from given)::integer[]) and ${where} offset 0
      ) found
      group by found.id
    ) ${table} on ${table}.id = ${id}`,
  };
}

type Identifier = ReturnType<typeof sql.identifier>;

/** The search sources of a reference: its name, and its nested fields, as `scope` and `scope.first_vlan`. */
export function namedSources(
  field: string,
  { id, from, where }: { id: SQL; from: SQL; where: SQL },
  { other, table }: { other: Identifier; table: string },
  fields: Nested,
): SearchSource[] {
  const of = (column: string) => columnOf(sql`${other}`, column);
  const [[nameColumn, kind] = ["name", "name"] as const] = Object.entries(fields);
  const all: Nested = { id: "integer", ...fields };
  const inside = Object.entries(all).flatMap(([column, to]) => {
    const path = `${field}.${column}`;
    const rows = (tables: SQL) => ({ id, from: sql`${tables} where ${where}`, onlyByName: true });
    if (typeof to === "string") {
      return sourceOf(to, path, { ...rows(from), column: `${table}.${column}` }, of(column));
    }
    const next = sql.identifier(getTableName(to.table));
    const joined = sql`${from} join ${next} on ${next}.id = ${of(`${column}_id`)}`;
    return sourceOf(to.kind, path, rows(joined), sql`${next}.name`);
  });
  const own = { id, from: sql`${from} where ${where}`, column: `${table}.${nameColumn}` };
  return [...sourceOf(kindIn(kind), field, own, of(nameColumn)), ...inside];
}

/** Conversions of values for JSON, if not those of PostgreSQL. */
const IN_JSON: Partial<Record<Kind, (value: SQL) => SQL>> = {
  ip: (value) => sql`host(${value})`,
  time: (value) => sql`shown(${value})`,
};

export function nestedRecord(other: Identifier, fields: Nested): SQL {
  const of = (column: string) => columnOf(sql`${other}`, column);
  const all: Nested = { id: "integer", ...fields };
  const pairs = Object.entries(all).map(([column, to]) => {
    if (typeof to !== "string") return [column, nameBehind(to.table, of(`${column}_id`))];
    const value = of(column);
    return [column, IN_JSON[to]?.(value) ?? value];
  });
  return jsonObject(Object.fromEntries(pairs));
}

function nameBehind(to: PgTable, key: SQL): SQL {
  return sql`(select behind.name from ${sql.identifier(getTableName(to))} behind where behind.id = ${key})`;
}

function kindIn(to: Nested[string]): Kind {
  return typeof to === "string" ? to : to.kind;
}
