// The columns of an import of items, and how its rows are read.
import { type Static, Type } from "@sinclair/typebox";
import type { ImportRow } from "../../import/import.ts";
import { blankOf, listSeparators, type RowColumns, readCells } from "../../import/rows.ts";
import type { FieldError } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import { nameOfHeading } from "../../spreadsheet/table.ts";
import type { Field } from "../../store/fields.ts";
import { changeFields } from "../../store/resource.ts";
import { SITE_FIELD } from "../../store/site/definitions.ts";
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

/** What null puts into its field; without a value here, the field stays as it is. */
const BLANKS = new Map(
  Object.entries({ ...properties, ...changeFields(item) }).flatMap(([name, schema]) => {
    const value = blankOf(schema);
    return value === undefined ? [] : [[name, value] as const];
  }),
);
BLANKS.set("host", null);

type ImportedValues = Static<typeof importedItem>;
type FilledValues = { [Name in keyof ImportedValues]: Exclude<ImportedValues[Name], null> };

/** A parsed row: what is filled in, what null clears, and the errors. */
export interface ImportEntry {
  line: number;
  /** The id on the label, in upper case. */
  label: string | null;
  filled: FilledValues;
  blank: ReadonlySet<string>;
  errors: FieldError[];
}

/** The row as the form for one item would send it. */
export function formInput({ filled, blank }: ImportEntry) {
  const { ics_id, macs, comments, ...given } = filled;
  const cleared = [...blank].flatMap((name) => {
    const isPlace = name === "location" || name === "status";
    // With a parent, a blank location or status means that of the parent.
    const stays = !BLANKS.has(name) || (isPlace && filled.parent !== undefined);
    return stays ? [] : [[name, BLANKS.get(name)] as const];
  });
  return { ...given, ...Object.fromEntries(cleared), ics_id, macs: macs?.join(" ") };
}

export function macsOf({ filled }: ImportEntry): string[] {
  return [...new Set((filled.macs ?? []).map(normalized))];
}

/** As PostgreSQL writes it. */
function normalized(address: string): string {
  const digits = address.toLowerCase().replace(/[^0-9a-f]/g, "");
  return digits.match(/../g)?.join(":") ?? "";
}

/** The comments that the item does not have yet, neither as a whole nor as a line of another one. */
export function newComments({ filled }: ImportEntry, existing: string[]): string[] {
  const given = filled.comments ?? [];
  const has = new Set([
    ...existing,
    ...existing.flatMap((body) => body.split("\n").map((one) => one.trim())),
  ]);
  const last = given.at(-1);
  return [...new Set(given)].filter(
    (one) => !has.has(one) && !(one === last && isCutOff(one, has)),
  );
}

/** The export truncates text that is too long for a cell: the last comment is cut off. */
function isCutOff(text: string, has: Set<string>): boolean {
  return text.endsWith("…") && [...has].some((one) => one.startsWith(text.slice(0, -1)));
}

/** What the caller sees of an item. */
export interface SeenItem extends Record<string, unknown> {
  id: number;
  ics_id: string;
  serial_number: string;
  manufacturer_id: number | null;
  macs: string[];
  comments: string[];
}

export interface RowOfItem {
  entry: ImportEntry;
  /** The item before the import; undefined of a new one. */
  before: SeenItem | undefined;
  /** Why it is refused, whatever the other rows do. */
  wrong: FieldError[];
  /** Why it was refused when it was tried last. */
  errors: FieldError[];
  /** The key of the item, once it is written. */
  id?: number;
  /** The temporary id of a new item without a label. */
  temporary?: string | undefined;
}

const CELLS: RowColumns = {
  schema: importedItem,
  names: COLUMNS,
  kindOf: (name) => fields[name]?.kind,
  objects: [SITE_FIELD],
  separators: { ...listSeparators(fields), macs: /[\s,;]+/, comments: /\n/ },
  elementError: (name, element, message) =>
    name === "macs" ? notAMac(element) : { field: name, message },
};

export function readRow(row: ImportRow): ImportEntry {
  const { filled: given, blank, errors } = readCells(CELLS, row);
  const filled = given as FilledValues;
  return { line: row.line, label: filled.ics_id?.toUpperCase() ?? null, filled, blank, errors };
}
