// Which columns hold the values that a source is found by. What a column holds is known for itself, whatever the
// source joins it to: SQL decides in the end which records have these values.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Source, Variables } from "../language/search_document.ts";

/** Where a record has such values, and which they are. */
export type Families = ReadonlyArray<readonly [path: string, Family]>;

export interface Family {
  name: string;
  /** A table of one column, `value`: all there is, in lower case; of a text also each of its words. */
  values: SQL;
  /** In `changes`, which tell of whatever comes to its values. */
  column?: string;
}

/** Names that queries give to tables. */
const ALIASES: Record<string, string> = {
  parent: "items",
  child: "items",
  member: "hosts",
  subgroup: "groups",
};
/** What is kept elsewhere too. */
const ORIGINS: Record<string, string> = { "host_variables.text": "hosts.automation_vars" };

const dialect = new PgDialect();

/** Of these sources; some never have texts. */
export function familiesOf(sources: readonly Source[], variables: Variables | undefined): Families {
  const texts = sources.filter(({ kind }) => !["number", "boolean", "time"].includes(kind));
  const families = texts.map((source) => [source.path, knownFamily(source, source)] as const);
  if (!variables) return families;
  const { path, text: value, from } = variables;
  return [...families, [path, knownFamily(variables, { value, kind: "keyword", from })]];
}

type Values = Pick<Source, "value" | "kind" | "from">;

/** To tell what a column is called takes longer than to look into it. */
const known = new WeakMap<Source | Variables, Family>();

function knownFamily(of: Source | Variables, values: Values): Family {
  const family = known.get(of) ?? familyOf(values);
  known.set(of, family);
  return family;
}

const COLUMN = /^"?(\w+)"?\."?(\w+)"?(?:::text)?$/;

function familyOf({ value, kind, from }: Values): Family {
  const query = dialect.sqlToQuery(value);
  if (query.sql === "netmask(networks.address)") return { name: "netmasks", values: NETMASKS };
  const [, named = "", column = ""] = COLUMN.exec(query.sql) ?? [];
  if (column === "") return asItStands({ value, kind, from });
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

/** No change tells of a netmask, but there are no others. */
const NETMASKS = sql`
  select host(netmask(set_masklen('0.0.0.0'::inet, length))) as value from generate_series(0, 32) length
  union all select host(netmask(set_masklen('::'::inet, length))) from generate_series(0, 128) length`;

/** What is reckoned from a row, and may be whatever a change tells of. */
function asItStands(values: Values): Family {
  const { sql: name, params } = dialect.sqlToQuery(sql`${values.value} ${values.from}`);
  return { name: JSON.stringify([name, params]), values: valuesOf(values) };
}

function valuesOf({ value, kind, from }: Values): SQL {
  const text = kind === "address" ? sql`host(${value})` : sql`lower(${value}::text)`;
  const whole = sql`select ${text} as value from ${from} and ${value} is not null`;
  if (kind !== "text") return whole;
  return sql`${whole} union select unnest(words_of(${value})) from ${from} and ${value} is not null`;
}
