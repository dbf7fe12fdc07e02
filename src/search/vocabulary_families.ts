// Which columns hold the values that a source is found by. What a column holds is known for itself, whatever the
// source joins it to: SQL decides in the end which records have these values.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Source, Variables } from "./document.ts";

export interface Family {
  name: string;
  /** A table of one column, `value`: all there is, in lower case; of a text also each of its words. */
  values: SQL;
  /** Whether every change of it is told of in `changes`; else its values are read each time. */
  isTold: boolean;
}

/** Tables whose changes are told of, and two that follow from them. */
const TABLES = [
  ...["actions", "manufacturers", "models", "locations", "statuses", "items", "comments", "macs"],
  ...["domains", "scopes", "networks", "device_types", "hosts", "interfaces", "cnames", "groups"],
  ...["users", "full_names", "host_variables"],
];
/** Names that queries give to one of these tables. */
const ALIASES: Record<string, string> = { parent: "items", child: "items" };

const dialect = new PgDialect();

/** The families that these sources have their values from; some sources never have texts. */
export function familiesOf(sources: readonly Source[], variables: Variables | undefined): Family[] {
  const families = sources.flatMap(familyOf);
  const all = variables ? [...families, ...ofColumn(variables.text, "keyword")] : families;
  return [...new Map(all.map((family) => [family.name, family])).values()];
}

function familyOf(source: Source): Family[] {
  if (["number", "boolean", "time"].includes(source.kind)) return [];
  const known = ofColumn(source.value, source.kind);
  return known.length > 0 ? known : [asItStands(source)];
}

const COLUMN = /^"?(\w+)"?\."?(\w+)"?$/;

function ofColumn(value: SQL, kind: Source["kind"]): Family[] {
  const [, named = "", column = ""] = COLUMN.exec(dialect.sqlToQuery(value).sql) ?? [];
  const table = ALIASES[named] ?? named;
  if (!TABLES.includes(table)) return [];
  const place = sql`${sql.identifier(table)}.${sql.identifier(column)}`;
  return [
    {
      name: `${table}.${column} ${kind}`,
      values: valuesOf(place, { kind, from: sql`${sql.identifier(table)} where true` }),
      isTold: true,
    },
  ];
}

function asItStands({ value, kind, from }: Source): Family {
  const name = dialect.sqlToQuery(sql`${value} ${from}`).sql;
  return { name, values: valuesOf(value, { kind, from }), isTold: false };
}

function valuesOf(value: SQL, { kind, from }: Pick<Source, "kind" | "from">): SQL {
  const text = kind === "address" ? sql`host(${value})` : sql`lower(${value}::text)`;
  const whole = sql`select ${text} as value from ${from} and ${value} is not null`;
  if (kind !== "text") return whole;
  return sql`${whole} union select unnest(words_of(${value})) from ${from} and ${value} is not null`;
}
