// The columns of an import of items, and how its rows are read.
import { type Static, Type } from "@sinclair/typebox";
import { getTableColumns } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { items } from "../../../db/tables/inventory.ts";
import type { ImportRow } from "../../import/import.ts";
import { initialValues, type RowColumns, readCells } from "../../import/rows.ts";
import { listSeparators, type StoredValue, storedColumns } from "../../import/stored_columns.ts";
import type { FieldError } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import { nameOfHeading } from "../../spreadsheet/table.ts";
import type { Field } from "../../store/fields.ts";
import { changeFields } from "../../store/resource.ts";
import { newComment } from "../comments/comments.ts";
import { HOST_NAME, item } from "../items/item.ts";
import { notAMac } from "../items/item_rules.ts";
import { newMac } from "../macs/macs.ts";

/** The schema of the filled cells of a row; blank cells are handled before. */
export const importedItem = Type.Partial(
  closed({
    ...changeFields(item),
    host: HOST_NAME,
    macs: Type.Array(newMac.properties.address, {
      maxItems: 100,
      description: "Use at most 100 MAC addresses, as a list or separated by commas or blanks",
    }),
    comments: Type.Array(newComment.properties.body, {
      maxItems: 1_000,
      description: "Use at most 1000 comments, as a list or each on a line of its own",
    }),
  }),
);

const { properties } = importedItem;

export const COLUMNS: readonly string[] = Object.keys(item.fields).filter(
  (name) => name in properties,
);

/** As in the lists and their exports. */
export const ITEM_HEADINGS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(item.fields).map(([name, { label }]) => [nameOfHeading(label), name]),
  ),
  serial: "serial_number",
};

const fields: Record<string, Field | undefined> = item.fields;

/** Fields with rules that look at other data. */
const BY_RULES = ["ics_id", "location", "status", "parent", "host", "stack_member"];

export const STORED = storedColumns(
  fields,
  COLUMNS.filter((name) => !BY_RULES.includes(name)),
);
/** An item inside another one may take them from there. */
export const PLACES = storedColumns(fields, ["location", "status"]);

const columns: Record<string, PgColumn | undefined> = getTableColumns(items);

/** The value of a new item in a column that its row does not give. */
export const initial = initialValues(items);

/** What a blank cell puts into the column; undefined if it stays as it is. */
export function blankOf(column: string): StoredValue | undefined {
  if (columns[column]?.notNull === false) return null;
  return Array.isArray(columns[column]?.default) ? [] : undefined;
}

type ImportedValues = Static<typeof importedItem>;
type FilledValues = { [Name in keyof ImportedValues]: Exclude<ImportedValues[Name], null> };

/** A parsed row: what is filled in, what is blank, and the errors. */
export interface ImportEntry {
  line: number;
  /** The id on the label, in upper case. */
  label: string | null;
  filled: FilledValues;
  blank: ReadonlySet<string>;
  errors: FieldError[];
}

const CELLS: RowColumns = {
  schema: importedItem,
  names: COLUMNS,
  kindOf: (name) => fields[name]?.kind,
  separators: { ...listSeparators(fields), macs: /[\s,;]+/, comments: /\n/ },
  elementError: (name, element, message) =>
    name === "macs" ? notAMac(element) : { field: name, message },
};

export function readRow(row: ImportRow): ImportEntry {
  const { filled: given, blank, errors } = readCells(CELLS, row);
  const filled = given as FilledValues;
  return { line: row.line, label: filled.ics_id?.toUpperCase() ?? null, filled, blank, errors };
}
