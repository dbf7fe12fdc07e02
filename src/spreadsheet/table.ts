// The rows of a spreadsheet as objects, with the headings of its first line as names.
import { invalid } from "../input/errors.ts";
import { readCsv } from "./read_csv.ts";
import { readWorkbook } from "./read_workbook.ts";
import { type TableLimits, type TableLine, Tally, tooManyRows } from "./tally.ts";
import { ENCRYPTED, unreadable } from "./unreadable.ts";

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
  if (duplicate) throw invalid("file", `The column "${duplicate.slice(0, 40)}" appears twice`);
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
  throw invalid("file", `In line ${line} there is "${cell}" without a heading`);
}

// Reads an uploaded file: an Excel workbook or delimited text. The format is recognised by the content, not by the
// file name. All cells are returned as text.

/** The lines that are not blank, in order: the headings, then the rows. */
export async function readLines(file: Uint8Array, limits: TableLimits): Promise<TableLine[]> {
  const lines: TableLine[] = [];
  for await (const line of linesOf(file, new Tally(limits))) {
    if (line.cells.length === 0) continue;
    if (lines.length > limits.rows) throw unreadable(tooManyRows(limits.rows));
    lines.push(line);
  }
  if (lines.length === 0) throw unreadable("This file is empty");
  return lines;
}

function linesOf(file: Uint8Array, tally: Tally): Iterable<TableLine> | AsyncIterable<TableLine> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (startsWith(bytes, [0x50, 0x4b, 3, 4])) return readWorkbook(file, tally);
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw unreadable(reasonForOldFormat(bytes));
  return readCsv(textOf(bytes), tally);
}

/** An OLE container holds either an old .xls file or an encrypted .xlsx file. */
function reasonForOldFormat(bytes: Buffer): string {
  return bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))
    ? ENCRYPTED
    : "This is an old .xls file; save it as .xlsx";
}

/** By the byte order mark, else as UTF-8 if it is valid, else as Windows-1252. */
function textOf(bytes: Buffer): string {
  const byteOrderMark = [["utf-16le", 0xff, 0xfe] as const, ["utf-16be", 0xfe, 0xff] as const].find(
    ([, ...mark]) => startsWith(bytes, mark),
  );
  const text = byteOrderMark
    ? decode(bytes, byteOrderMark[0])
    : (decode(bytes, "utf-8") ?? decode(bytes, "windows-1252"));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: found in binary files, never in text
  if (text === undefined || /[\u0000-\u0008\u000e-\u001a]/.test(text)) {
    throw unreadable("This is neither an .xlsx nor a .csv file");
  }
  return text.toWellFormed();
}

function decode(bytes: Buffer, encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252") {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function startsWith(bytes: Buffer, prefix: readonly number[]): boolean {
  return prefix.every((byte, at) => bytes[at] === byte);
}
