// What a field is, and what the kinds of fields in fields.ts are made of: a column, the sources by which a value is
// found, and another record inside of a record.
import { type TSchema, Type } from "@sinclair/typebox";
import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Caller } from "../auth/auth.ts";
import { type Kind, NATURES } from "../input/kinds.ts";
import type { Kind as SearchKind, Source } from "../search/document.ts";
import type { FieldsSql } from "./filters.ts";

export type Schema = TSchema | undefined;

/** One field: `Value` is what stands in a record, `Create` and `Change` what bodies may hold. */
export interface Field<
  Value = unknown,
  Create extends Schema = Schema,
  Change extends Schema = Schema,
> {
  /** What people call it. */
  label: string;
  kind: Kind;
  /** Its schema in a record; fields without one are for filters alone. */
  schema: TSchema | undefined;
  create: Create;
  change: Change;
  /** The column that keeps it, by the field's name; derived fields have none. */
  column?: (name: string) => string;
  /** The table of the keys in the column, the column that its rows are called by, and whether it may be hidden. */
  refersTo?: { table: string; name: string; isHidden: boolean };
  query: (at: Place) => FieldsSql;
  sources: (at: Place) => Source[];
  /** The table that `query` sorts by, joined to the record's own. */
  join?: (at: Place) => SQL;
  /** For the compiler alone. */
  readonly value?: Value;
}

/** A field that lists are filtered by; it stands in a record only where it is asked for by name. */
export type Hidden<F extends Field = Field> = F & { schema: undefined };

export function hidden<F extends Field>(field: F): Hidden<F> {
  return { ...field, schema: undefined, sources: () => [] };
}

/** Where a field is asked for: its name, its table, the record's key there, and who asks. */
export interface Place {
  name: string;
  table: SQL;
  id: SQL;
  caller: Caller;
}

/** Of the schema of a field in a body: the table whose names it takes. */
export const REFERS_TO = "x-refers-to";

export const RECORD = Type.Object({}, { additionalProperties: true });
/** A name, or with `recursive` the record behind it. */
export const NAMED = Type.Union([Type.String(), RECORD, Type.Null()]);

export function recordSchema(
  kind: Kind,
  { input, nullable, description }: { input?: Schema; nullable?: boolean; description?: string },
): TSchema {
  const { type } = NATURES[kind].schema;
  const plain =
    type === "integer" ? Type.Integer() : type === "boolean" ? Type.Boolean() : Type.String();
  return described(
    nullable || takesNull(input) ? Type.Union([plain, Type.Null()]) : plain,
    description,
  );
}

function takesNull(input: Schema): boolean {
  return input?.anyOf?.some((one: TSchema) => one.type === "null") ?? false;
}

export function described(schema: TSchema, description?: string): TSchema {
  return description ? { ...schema, description } : schema;
}

/** Fields of another record by their kinds; a reference there, whose key is in `<field>_id`, by the kind of its name. */
export type Nested = Record<string, Kind | { kind: Kind; table: PgTable }>;

export function columnOf(table: SQL, column: string): SQL {
  return sql`${table}.${sql.identifier(column)}`;
}

type Rows = Pick<Source, "id" | "from" | "onlyByName">;

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

type Identifier = ReturnType<typeof sql.identifier>;

/** Another record by its name, and by the fields inside of it: `scope` and `scope.first_vlan`. */
export function namedSources(
  { name: field }: Place,
  { id, from, where }: { id: SQL; from: SQL; where: SQL },
  other: Identifier,
  fields: Nested,
): Source[] {
  const of = (column: string) => columnOf(sql`${other}`, column);
  const [[called, kind] = ["name", "name"] as const] = Object.entries(fields);
  const all: Nested = { id: "integer", ...fields };
  const inside = Object.entries(all).flatMap(([column, to]) => {
    const path = `${field}.${column}`;
    const rows = (tables: SQL) => ({ id, from: sql`${tables} where ${where}`, onlyByName: true });
    if (typeof to === "string") return sourceOf(to, path, rows(from), of(column));
    const table = sql.identifier(getTableName(to.table));
    const joined = sql`${from} join ${table} on ${table}.id = ${of(`${column}_id`)}`;
    return sourceOf(to.kind, path, rows(joined), sql`${table}.name`);
  });
  const own = { id, from: sql`${from} where ${where}` };
  return [...sourceOf(kindIn(kind), field, own, of(called)), ...inside];
}

/** How a value stands in JSON, where that is not how PostgreSQL writes it. */
const IN_JSON: Partial<Record<Kind, (value: SQL) => SQL>> = {
  ip: (value) => sql`host(${value})`,
  time: (value) => sql`shown(${value})`,
};

export function nestedRecord(other: Identifier, fields: Nested): SQL {
  const of = (column: string) => columnOf(sql`${other}`, column);
  const all: Nested = { id: "integer", ...fields };
  const pairs = Object.entries(all).map(([column, to]) => {
    const value = typeof to === "string" ? of(column) : nameBehind(to.table, of(`${column}_id`));
    return sql`${sql.raw(`'${column}'`)}, ${IN_JSON[kindIn(to)]?.(value) ?? value}`;
  });
  return sql`json_build_object(${sql.join(pairs, sql`, `)})`;
}

export function nameBehind(to: PgTable, key: SQL): SQL {
  return sql`(select behind.name from ${sql.identifier(getTableName(to))} behind where behind.id = ${key})`;
}

export function kindIn(to: Nested[string]): Kind {
  return typeof to === "string" ? to : to.kind;
}
