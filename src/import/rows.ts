// Reads the cells of imported rows, texts of a sheet or JSON values, by the schemas of their fields.
import type { TObject, TSchema } from "@sinclair/typebox";
import { type FieldError, Refusal } from "../input/errors.ts";
import { readJson } from "../input/json.ts";
import type { Kind } from "../input/kinds.ts";
import { compiled, readInput, SITE_PARTS } from "../input/shape.ts";
import type { Field } from "../store/fields.ts";
import type { ImportRow } from "./import.ts";

export interface RowColumns {
  /** The schema of the filled cells of a row; each is optional. */
  schema: TObject;
  names: readonly string[];
  kindOf: (name: string) => Kind | undefined;
  /** What separates the elements of a list in the text of a cell, by column. */
  separators: Record<string, RegExp>;
  /** Columns with objects, which are JSON in the text of a cell. */
  objects?: readonly string[];
  /** The error for an invalid element of a list. */
  elementError: (name: string, element: unknown, message: string) => FieldError;
}

export interface RowCells {
  filled: Record<string, unknown>;
  blank: ReadonlySet<string>;
  errors: FieldError[];
}

export function readCells(
  columns: RowColumns,
  { fields, errors = [] }: Pick<ImportRow, "fields" | "errors">,
): RowCells {
  const unreadable: FieldError[] = [];
  const given = columns.names.flatMap((name): Array<[string, unknown]> => {
    if (!Object.hasOwn(fields, name)) return [];
    try {
      return [[name, parsed(columns, name, fields[name])]];
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      unreadable.push({ field: name, message: refusal.errors[0]?.message ?? refusal.message });
      return [];
    }
  });
  const blank = new Set(given.filter(([, value]) => isBlank(value)).map(([name]) => name));
  const cells = given.filter(([name]) => !blank.has(name));
  const found = readValid(columns, Object.fromEntries(cells));
  return { filled: found.filled, blank, errors: [...errors, ...unreadable, ...found.errors] };
}

const BOOLEAN = /^\s*(?:(true|yes)|false|no)\s*$/i;
const INTEGER = /^\s*-?[0-9]{1,15}\s*$/;

function parsed(columns: RowColumns, name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const { kindOf, separators, objects = [] } = columns;
  if (objects.includes(name) && value.trim() !== "") return readJson(value);
  const separator = separators[name];
  if (separator) return value.split(separator).filter((one) => one.trim() !== "");
  const kind = kindOf(name);
  // An export of a list writes yes and no.
  const [isBoolean, isTrue] = (kind === "boolean" && BOOLEAN.exec(value)) || [];
  if (isBoolean !== undefined) return isTrue !== undefined;
  return kind === "integer" && INTEGER.test(value) ? Number(value) : value;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value == null || (typeof value === "string" && value.trim() === "");
}

/** Reads the valid fields even if others are invalid. */
function readValid(
  columns: RowColumns,
  given: Record<string, unknown>,
): Pick<RowCells, "filled" | "errors"> {
  try {
    return { filled: readInput(columns.schema, given), errors: [] };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const errors = refusal.errors.map((error) => withElement(columns, error, given));
    const wrong = new Set(errors.map(({ field }) => field));
    const rest = Object.entries(given).filter(([name]) => !wrong.has(name));
    if (rest.length === Object.keys(given).length) return { filled: {}, errors };
    const others = readValid(columns, Object.fromEntries(rest));
    return { filled: others.filled, errors: [...errors, ...others.errors] };
  }
}

/** Names the invalid element of a list in the message. */
function withElement(
  { elementError }: RowColumns,
  { field, message }: FieldError,
  given: Record<string, unknown>,
): FieldError {
  const [name = "", at] = field.split(".");
  const list = given[name];
  if (at === undefined || !Array.isArray(list)) return { field: name, message };
  return elementError(name, list[Number(at)], message);
}

/** What a blank cell puts into a field with this schema: nothing, if the field takes that; else it stays as it is. */
export function blankOf(schema: TSchema): null | [] | undefined {
  return ([null, []] as const).find((one) => compiled(schema).Check(one)) as null | [] | undefined;
}

/** The separators of lists of texts, by column. */
export function listSeparators(fields: Record<string, Field | undefined>): Record<string, RegExp> {
  const lists = Object.entries(fields).filter(
    ([, field]) => field && ["list", "tags"].includes(field.kind),
  );
  return Object.fromEntries(lists.map(([name]) => [name, /[,;\n]/]));
}

/** The columns with the fields of the site, by the annotation of their schemas. */
export function partedIn({ properties }: TObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { [SITE_PARTS]: table }]) =>
      table ? [[name, String(table)]] : [],
    ),
  );
}
