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
  /** The wanted columns that the spreadsheet has, in its order. */
  columns: string[];
  /** JSON: rows by line number, each an object of cells by column name. */
  rows: string;
}

export async function readTable(file: Uint8Array, wanted: TableOptions): Promise<SpreadsheetTable> {
  const [headings, ...lines] = await readLines(file, wanted.limits);
  const names = columnNames(headings?.cells ?? [], wanted);
  if (lines.length === 0) throw invalid("file", "There are no rows below the headings");
  const rows = lines.map((line) => [line.line, cellsByColumn(line, names, wanted)]);
  return {
    columns: names.filter((name) => wanted.columns.includes(name)),
    rows: JSON.stringify(Object.fromEntries(rows)),
  };
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
  const allowed = [...wanted.columns, ...wanted.ignored];
  const unknown = headings.filter((_, at) => names[at] && !allowed.includes(names[at]));
  const columns = wanted.columns.join(", ");
  if (unknown.length > 0) {
    const quoted = unknown.slice(0, 5).map((heading) => `‘${heading.slice(0, 40)}’`);
    const is = unknown.length === 1 ? "There is no column" : "There are no columns";
    throw invalid("file", `${is} ${quoted.join(", ")}; the columns are ${columns}`);
  }
  const duplicate = headings.find((_, at) => names[at] && names.indexOf(names[at]) !== at);
  if (duplicate) throw invalid("file", `The column ‘${duplicate}’ appears twice`);
  if (!names.some((name) => wanted.columns.includes(name))) {
    throw invalid("file", `The first row must contain the names of columns: ${columns}`);
  }
  return names;
}

function cellsByColumn(
  { line, cells }: TableLine,
  names: string[],
  wanted: TableOptions,
): Record<string, string> {
  const unnamed = cells.findIndex((cell, at) => cell !== "" && !names[at]);
  if (unnamed >= 0) {
    throw invalid(
      "file",
      `In line ${line} there is ‘${cells[unnamed]?.slice(0, 40)}’ without a heading`,
    );
  }
  return Object.fromEntries(
    names.flatMap((name, at) => (wanted.columns.includes(name) ? [[name, cells[at] ?? ""]] : [])),
  );
}
