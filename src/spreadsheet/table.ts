// The rows of a spreadsheet as objects, with the headings of its first line as names.
import { invalid } from "../input/errors.ts";
import { readLines } from "./read.ts";
import type { TableLimits, TableLine } from "./tally.ts";

/** Which columns and how much of them to accept. */
export interface TableOptions {
  limits: TableLimits;
  /** The names of columns that are read. */
  columns: readonly string[];
  /** The names of columns that may be there, but are not read. */
  ignored: readonly string[];
  /** Further headings of columns, in lower case with underscores. */
  headings?: Record<string, string>;
}

export interface SpreadsheetTable {
  /** In the order of the spreadsheet: wanted columns by name, unknown ones by their heading. */
  columns: string[];
  /** JSON: rows by line number, each an object of cells by column name, or by unknownKey(). */
  rows: string;
}

export async function readTable(file: Uint8Array, wanted: TableOptions): Promise<SpreadsheetTable> {
  const [{ cells: headings } = { cells: [] }, ...lines] = await readLines(file, wanted.limits);
  const names = columnNames(headings, wanted);
  if (lines.length === 0) throw invalid("file", "There are no rows below the headings");
  const read = headings
    .map((heading, at) => ({ heading, at, name: names[at] ?? "" }))
    .filter(({ name }) => name !== "" && !wanted.ignored.includes(name))
    .map(({ heading, at, name }, place) =>
      wanted.columns.includes(name)
        ? { at, label: name, key: name }
        : { at, label: heading.slice(0, 100), key: unknownKey(place) },
    );
  const rows = lines.map((line) => {
    requireHeadings(line, names);
    return [line.line, Object.fromEntries(read.map(({ key, at }) => [key, line.cells[at] ?? ""]))];
  });
  return {
    columns: read.map(({ label }) => label),
    rows: JSON.stringify(Object.fromEntries(rows)),
  };
}

/** Of the cells of an unknown column, by its place in the columns: each row has it, and a heading may be long. */
export function unknownKey(place: number): string {
  return `column.${place}`;
}

/** "Serial number" and "serial-number" are serial_number. */
export function nameOfHeading(heading: string): string {
  return heading.toLowerCase().replace(/[\s-]+/g, "_");
}

function columnNames(headings: string[], wanted: TableOptions): string[] {
  const names = headings.map((heading) => {
    const name = nameOfHeading(heading);
    const { headings: further = {} } = wanted;
    return Object.hasOwn(further, name) ? (further[name] ?? name) : name;
  });
  const duplicate = headings.find((_, at) => names[at] && names.indexOf(names[at]) !== at);
  if (duplicate) throw invalid("file", `The column ‘${duplicate.slice(0, 40)}’ appears twice`);
  if (!names.some((name) => name && !wanted.ignored.includes(name))) {
    const columns = wanted.columns.join(", ");
    throw invalid("file", `The first row must contain the names of columns: ${columns}`);
  }
  return names;
}

function requireHeadings({ line, cells }: TableLine, names: string[]): void {
  const unnamed = cells.findIndex((cell, at) => cell !== "" && !names[at]);
  if (unnamed < 0) return;
  const cell = cells[unnamed]?.slice(0, 40);
  throw invalid("file", `In line ${line} there is ‘${cell}’ without a heading`);
}
