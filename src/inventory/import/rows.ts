// Reads imported rows, texts of a sheet or JSON values, by the schemas of an item's fields.
import { type Static, Type } from "@sinclair/typebox";
import { getTableColumns } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { items } from "../../../db/tables/inventory.ts";
import { type FieldError, Refusal } from "../../input/errors.ts";
import { closed, readInput } from "../../input/shape.ts";
import type { Field } from "../../store/fields.ts";
import { changes } from "../../store/resource.ts";
import { newComment } from "../comments/comments.ts";
import { HOST_NAME, item } from "../items/item.ts";
import { notAMac } from "../items/item_rules.ts";
import { newMac } from "../macs/macs.ts";

export interface ImportRow {
  line: number;
  /** By the API's names: texts from a sheet, or JSON values. */
  fields: Record<string, unknown>;
  /** Errors found before, such as a line that is not JSON. */
  errors?: FieldError[];
}

/** The schema of the filled cells of a row; blank cells are handled before. */
export const importedItem = Type.Partial(
  closed({
    ...changes(item),
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

/** Of an item, by the names of its fields. */
export type RowValues = Record<string, string | number | boolean | null>;

const fields: Record<string, Field | undefined> = item.fields;

/** Columns with plain values; the other columns refer to existing records. */
export const PLAIN = COLUMNS.filter((name) => {
  const isOwn = fields[name]?.column !== undefined && !fields[name]?.refersTo;
  return isOwn && name !== "ics_id" && name !== "stack_member";
});

const columns: Record<string, PgColumn | undefined> = getTableColumns(items);

/** The value of a new item in a column that its row does not give. */
export function initial(name: string): RowValues[string] {
  const column = columns[name];
  return (column?.default as RowValues[string] | undefined) ?? (column?.notNull ? "" : null);
}

/** Whether a blank cell clears the column. */
export function isClearable(name: string): boolean {
  return columns[name]?.notNull === false;
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

export function readRow({ line, fields, errors = [] }: ImportRow): ImportEntry {
  const given = COLUMNS.flatMap(
    (name): Array<[string, unknown]> =>
      Object.hasOwn(fields, name) ? [[name, parsed(name, fields[name])]] : [],
  );
  const blank = new Set(given.filter(([, value]) => isBlank(value)).map(([name]) => name));
  const found = readGood(Object.fromEntries(given.filter(([name]) => !blank.has(name))));
  const label = found.filled.ics_id?.toUpperCase() ?? null;
  return { line, label, filled: found.filled, blank, errors: [...errors, ...found.errors] };
}

function parsed(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (name === "macs") return value.split(/[\s,;]+/).filter((one) => one !== "");
  if (name === "comments") return value.split("\n").filter((one) => one.trim() !== "");
  const kind = fields[name]?.kind;
  if (kind === "boolean" && /^\s*(true|false)\s*$/i.test(value)) return /true/i.test(value);
  return kind === "integer" && /^\s*-?[0-9]{1,15}\s*$/.test(value) ? Number(value) : value;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value == null || (typeof value === "string" && value.trim() === "");
}

/** Reads the valid fields even if others are invalid. */
function readGood(given: Record<string, unknown>): Pick<ImportEntry, "filled" | "errors"> {
  try {
    return { filled: readInput(importedItem, given) as FilledValues, errors: [] };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const errors = refusal.errors.map((error) => withElement(error, given));
    const wrong = new Set(errors.map(({ field }) => field));
    const rest = Object.entries(given).filter(([name]) => !wrong.has(name));
    if (rest.length === Object.keys(given).length) return { filled: {}, errors };
    const others = readGood(Object.fromEntries(rest));
    return { filled: others.filled, errors: [...errors, ...others.errors] };
  }
}

/** Names the invalid element of a list in the message. */
function withElement({ field, message }: FieldError, given: Record<string, unknown>): FieldError {
  const [name = "", at] = field.split(".");
  const list = given[name];
  if (name !== "macs" || at === undefined || !Array.isArray(list)) return { field: name, message };
  return notAMac(list[Number(at)]);
}

/** A value that only one row of a file may have. */
export function alreadyInRow(
  field: string,
  value: string | null,
  { line }: { line: number },
): FieldError {
  return { field, message: `${value} is already in row ${line}` };
}
