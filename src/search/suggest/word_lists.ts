// The word lists of the vocabulary: one for the values of each column that a search can be about. A
// column has one list, even if sources join it to others, because SQL decides in the end which
// records have these values.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { SearchSource, Variables } from "../document.ts";

/** By the paths of the sources; several sources can share a list. */
export type WordLists = ReadonlyArray<readonly [path: string, WordList]>;

export interface WordList {
  name: string;
  /** Selects `value`: all values in lower case; of texts also each word. */
  values: SQL;
  /** The column in `changes` that shows new values; any column if undefined. */
  column?: string;
}

/** Aliases of tables in the sources. */
const ALIASES: Record<string, string> = {
  parent: "items",
  child: "items",
  member: "hosts",
  subgroup: "groups",
};
/** Derived columns, and the columns they come from. */
const ORIGINS: Record<string, string> = { "host_variables.text": "hosts.automation_vars" };

const dialect = new PgDialect();

/** Sources of numbers, booleans and times have no list. */
export function wordListsOf(
  sources: readonly SearchSource[],
  variables: Variables | undefined,
): WordLists {
  const texts = sources.filter(({ kind }) => !["number", "boolean", "time"].includes(kind));
  const lists = texts.map((source) => [source.path, cachedList(source, source)] as const);
  if (!variables) return lists;
  const { path, text: value, from } = variables;
  return [...lists, [path, cachedList(variables, { value, kind: "keyword", from })]];
}

type TermValues = Pick<SearchSource, "value" | "kind" | "from" | "column">;

/** Finding out the column of a source takes longer than searching its list. */
const known = new WeakMap<SearchSource | Variables, WordList>();

function cachedList(of: SearchSource | Variables, values: TermValues): WordList {
  const list = known.get(of) ?? wordListOf(values);
  known.set(of, list);
  return list;
}

const COLUMN = /^"?(\w+)"?\."?(\w+)"?(?:::text)?$/;

function wordListOf({ value, kind, from, column: origin }: TermValues): WordList {
  const query = origin ?? dialect.sqlToQuery(value).sql;
  if (query === "netmask(networks.address)") return { name: "netmasks", values: NETMASKS };
  const [, named = "", column = ""] = COLUMN.exec(query) ?? [];
  if (column === "") return computedList({ value, kind, from });
  const table = ALIASES[named] ?? named;
  const name = `${table}.${column}`;
  const place = sql`${sql.identifier(table)}.${sql.identifier(column)}`;
  const rows = sql`${sql.identifier(table)} where true`;
  return {
    name: `${name} ${kind}`,
    values: valuesOf({ value: place, kind, from: rows }),
    column: ORIGINS[name] ?? name,
  };
}

/** Netmasks are not stored, but all possible ones are known. */
const NETMASKS = sql`
  select host(netmask(set_masklen('0.0.0.0'::inet, length))) as value from generate_series(0, 32) length
  union all select host(netmask(set_masklen('::'::inet, length))) from generate_series(0, 128) length`;

/** A computed value; any change may bring a new one. */
function computedList(values: TermValues): WordList {
  const { sql: name, params } = dialect.sqlToQuery(sql`${values.value} ${values.from}`);
  return { name: JSON.stringify([name, params]), values: valuesOf(values) };
}

function valuesOf({ value, kind, from }: TermValues): SQL {
  const text = kind === "address" ? sql`host(${value})` : sql`lower(${value}::text)`;
  const whole = sql`select ${text} as value from ${from} and ${value} is not null`;
  if (kind !== "text") return whole;
  return sql`${whole} union select unnest(words_of(${value}::text)) from ${from} and ${value} is not null`;
}
