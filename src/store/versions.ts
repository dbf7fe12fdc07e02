// Records as texts of form fields: a new one, now, and at an earlier version.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { recordFrom } from "./past/rows.ts";
import type { Resource } from "./resource.ts";
import { SITE_FIELD, withParts } from "./site/definitions.ts";

/** By the names of the fields. */
export type Texts = Record<string, string>;

export function textsIn(record: object, names: readonly string[]): Texts {
  const values = withParts(record);
  // The fields of the site are inputs of their own.
  const all = names.flatMap((name) =>
    name === SITE_FIELD ? Object.keys(values).filter((one) => one.startsWith(`${name}.`)) : name,
  );
  return Object.fromEntries(all.map((name) => [name, asText(values[name])]));
}

/** What a form changes in the fields of the site, of a record or of its texts; undefined if nothing. */
export function changedParts(given: object, now: object): Record<string, unknown> | undefined {
  const had = withParts(now);
  const changed = Object.entries(given).filter(
    ([key, value]) => asText(value) !== asText(had[`${SITE_FIELD}.${key}`]),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** The names of the fields that a form changes, each field of the site by itself. */
export function changedNames(given: object, now: object): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (name !== SITE_FIELD) return [name];
    const parts = changedParts(Object(value), now) ?? {};
    return Object.keys(parts).map((key) => `${SITE_FIELD}.${key}`);
  });
}

/** What a new record has in fields that nobody fills in: the defaults of their columns. */
export function defaultTexts({ table, fields }: Pick<Resource, "table" | "fields">): Texts {
  const columns: Record<string, PgColumn | undefined> = getTableColumns(table);
  const defaults = Object.entries(fields).flatMap(([name, { create, column, refersTo }]) => {
    const value = create && !refersTo ? columns[column?.(name) ?? ""]?.default : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return textsIn(
    Object.fromEntries(defaults),
    defaults.map(([name]) => name),
  );
}

/** JSON with one key on a line; an empty object is an empty text. */
function asText(value: unknown): string {
  if (value == null) return "";
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value !== "object") return String(value);
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
}

export interface RecordVersion {
  id: number;
  version: number;
}

/**
 * The fields of a visible record at a version; undefined if that version is unknown. Deleted records are shown by their
 * last name.
 */
export async function recordAt(
  resource: Resource,
  caller: Caller,
  { id, version }: RecordVersion,
): Promise<object | undefined> {
  const table = sql.identifier(resource.name);
  const values = Object.entries(resource.fields).flatMap(([name, field]): SQL[] => {
    if (!field.column) return [];
    const at = { name, table: sql`${table}`, id: sql`${table}.id`, caller };
    const { recordValue, column } = field.query(at)[name] ?? {};
    const { refersTo } = field;
    const key = sql`${table}.${sql.identifier(field.column(name))}`;
    const former =
      refersTo && !refersTo.isHidden
        ? sql`former_name(${refersTo.table}, ${key}, ${refersTo.name})`
        : sql`null`;
    return [sql`coalesce(${recordValue ?? column}, ${former}) as ${sql.identifier(name)}`];
  });
  const found = await database.row<{ json: string }>(sql`
    select (select row_to_json(shown) from (select ${sql.join(values, sql`, `)}) shown)::text as json
    from changes cross join lateral ${recordFrom(resource.name, sql`after`)} ${table}
    where table_name = ${resource.name} and row_id = ${id}
      and ${resource.version?.(caller) ?? sql`${table}.version`} = ${version}
    order by changes.id desc limit 1`);
  return found && JSON.parse(found.json);
}
