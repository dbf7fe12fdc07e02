// The columns of a table that rows of an import fill by the rules of their fields alone: values, lists, and references by
// the names of other records.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { type FieldError, unknownName } from "../input/errors.ts";
import type { Field } from "../store/fields.ts";
import type { Read } from "../store/read.ts";
import { registered } from "../store/registry.ts";
import { all, keySubquery, textSubquery } from "./statements.ts";

export type StoredValue = string | number | boolean | null | string[];
/** By column. */
export type StoredValues = Record<string, StoredValue>;

export interface StoredColumn {
  /** Of the field. */
  name: string;
  column: string;
  refersTo?: NonNullable<Field["refersTo"]>;
}

export function storedColumns(
  fields: Record<string, Field | undefined>,
  names: readonly string[],
): StoredColumn[] {
  return names.flatMap((name) => {
    const { column, refersTo } = fields[name] ?? {};
    return column ? [{ name, column: column(name), ...(refersTo && { refersTo }) }] : [];
  });
}

/** The separators of lists of texts, by column. */
export function listSeparators(fields: Record<string, Field | undefined>): Record<string, RegExp> {
  const lists = Object.entries(fields).filter(([, field]) => field?.kind === "list");
  return Object.fromEntries(lists.map(([name]) => [name, /[,;\n]/]));
}

/** The records that rows name, and those that existing records refer to. */
export interface NamedRecords {
  /** Keys by what a row gives: "location hall a". */
  keys: Map<string, number>;
  /** Names by key: "location 7". */
  names: Map<string, string>;
}

interface Wanted {
  given: Iterable<string>;
  used: Iterable<number>;
}

/** Those that are hidden from the caller are left out. */
export async function namedRecords(
  read: Read,
  caller: Caller,
  columns: readonly StoredColumn[],
  wanted: (column: StoredColumn) => Wanted,
): Promise<NamedRecords> {
  const each = columns.flatMap((column) => {
    if (!column.refersTo) return [];
    const { given, used } = wanted(column);
    const table = sql.identifier(column.refersTo.table);
    const called = sql`${table}.${sql.identifier(column.refersTo.name)}`;
    const visible: SQL = registered(column.refersTo.table)?.visible?.(caller) ?? sql`true`;
    return sql`
      select ${column.name}::text as field, given, ${table}.id, ${called} as name
      from (${textSubquery(given)}) as rows (given) join ${table} on lower(${called}) = lower(given collate names)
      where ${visible}
      union all
      select ${column.name}::text, null, ${table}.id, ${called} from ${table}
      where ${table}.id in ${keySubquery(used)} and ${visible}`;
  });
  if (each.length === 0) return { keys: new Map(), names: new Map() };
  const found = await all<{ field: string; given: string | null; id: number; name: string }>(
    read,
    sql.join(each, sql` union all `),
  );
  return {
    keys: new Map(
      found.flatMap(({ field, given, id }) => (given ? [[`${field} ${given}`, id]] : [])),
    ),
    names: new Map(found.map(({ field, id, name }) => [`${field} ${id}`, name])),
  };
}

interface ImportCell {
  value: unknown;
  row: { errors: FieldError[] };
}

/** What a filled cell puts into the column; the name of an unknown record is an error of its row. */
export function valueIn(
  { name, refersTo }: StoredColumn,
  cell: ImportCell | undefined,
  { keys }: NamedRecords,
): StoredValue | undefined {
  const given = cell?.value as StoredValue | undefined;
  if (!cell || !refersTo) return given;
  const key = keys.get(`${name} ${given}`);
  if (key === undefined) cell.row.errors.push(unknownName(name, String(given)));
  return key;
}

/** The value in words. */
export function textOf(
  { name, refersTo }: StoredColumn,
  value: StoredValue | undefined,
  names: NamedRecords["names"],
): string | null {
  if (value == null) return null;
  if (refersTo) return names.get(`${name} ${value}`) ?? null;
  return Array.isArray(value) ? value.join(", ") || null : String(value);
}
