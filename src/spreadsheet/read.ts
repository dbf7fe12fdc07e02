// Reads an uploaded file: an Excel workbook or delimited text. The format is recognised by the content, not by the
// file name. All cells are returned as text.
import { readCsv } from "./read_csv.ts";
import { readWorkbook } from "./read_workbook.ts";
import { type TableLimits, type TableLine, Tally, tooManyRows } from "./tally.ts";
import { ENCRYPTED, unreadable } from "./unreadable.ts";

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
