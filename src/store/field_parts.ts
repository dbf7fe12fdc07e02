// What the kinds of fields are made of: a column, the sources by which a value is found, and another record inside of a
// record.
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../input/kinds.ts";
import type { Kind as SearchKind, Source } from "../search/language/search_document.ts";

export function columnOf(table: SQL, column: string): SQL {
  return sql`${table}.${sql.identifier(column)}`;
}

export type Rows = Pick<Source, "id" | "from" | "onlyByName">;

const SEARCH_KINDS: Partial<Record<Kind, SearchKind>> = {
  name: "keyword",
  code: "keyword",
  label: "keyword",
  text: "text",
  integer: "number",
  boolean: "boolean",
  time: "time",
  ip: "address",
  block: "block",
  mac: "mac",
};

export function sourceOf(kind: Kind, path: string, rows: Rows, value: SQL): Source[] {
  const found = SEARCH_KINDS[kind];
  if (!found) return [];
  // Labels are kept in lower case.
  return [{ ...rows, path, kind: found, value, ...(kind === "label" && { lower: value }) }];
}

/** Another record by its name, and by the fields inside of it: `scope` and `scope.first_vlan`. */
export function namedSources(
  field: string,
  rows: Rows,
  other: ReturnType<typeof sql.identifier>,
  fields: Record<string, Kind>,
): Source[] {
  const of = (column: string) => columnOf(sql`${other}`, column);
  const [[called, kind] = ["name", "name"] as const] = Object.entries(fields);
  const inside = { ...rows, onlyByName: true };
  return [
    ...sourceOf(kind, field, rows, of(called)),
    ...Object.entries({ id: "integer" as Kind, ...fields }).flatMap(([column, kind]) =>
      sourceOf(kind, `${field}.${column}`, inside, of(column)),
    ),
  ];
}

/** How a value stands in JSON, where that is not how PostgreSQL writes it. */
const NESTED: Partial<Record<Kind, (value: SQL) => SQL>> = {
  ip: (value) => sql`host(${value})`,
  time: (value) => sql`shown(${value})`,
};

export function nestedRecord(
  other: ReturnType<typeof sql.identifier>,
  fields: Record<string, Kind>,
): SQL {
  const pairs = Object.entries({ id: "integer" as Kind, ...fields }).map(([column, kind]) => {
    const value = columnOf(sql`${other}`, column);
    return sql`${sql.raw(`'${column}'`)}, ${NESTED[kind]?.(value) ?? value}`;
  });
  return sql`json_build_object(${sql.join(pairs, sql`, `)})`;
}
