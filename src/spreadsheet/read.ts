// What stands in a file that somebody gave us, whatever it is called: an Excel workbook or text with
// separators. All that it holds is text, as it stands.
import { readCsv } from "./read_csv.ts";
import { readWorkbook } from "./read_workbook.ts";
import { count, type Limits, type Line, Tally } from "./tally.ts";
import { unreadable } from "./unreadable.ts";

/** The lines that are not blank, in their order: the headings, then the rows. */
export async function readLines(file: Uint8Array, limits: Limits): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of linesOf(file, new Tally(limits))) {
    if (line.cells.length === 0) continue;
    if (lines.length > limits.rows)
      throw unreadable(`Import at most ${count(limits.rows)} rows at once`);
    lines.push(line);
  }
  if (lines.length === 0) throw unreadable("This file is empty");
  return lines;
}

function linesOf(file: Uint8Array, tally: Tally): Iterable<Line> | AsyncIterable<Line> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (begins(bytes, [0x50, 0x4b, 3, 4])) return readWorkbook(file, tally);
  if (begins(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw unreadable(whyNot(bytes));
  return readCsv(textOf(bytes), tally);
}

/** Before there was .xlsx, and around each one with a password. */
function whyNot(bytes: Buffer): string {
  return bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))
    ? "This file is encrypted; save it without a password"
    : "This is an old .xls file; save it as .xlsx";
}

/** As it says at its beginning, else UTF-8 if it is that, else what Windows writes in the West. */
function textOf(bytes: Buffer): string {
  const marked = [["utf-16le", 0xff, 0xfe] as const, ["utf-16be", 0xfe, 0xff] as const].find(
    ([, ...mark]) => begins(bytes, mark),
  );
  const text = marked
    ? decode(bytes, marked[0])
    : (decode(bytes, "utf-8") ?? decode(bytes, "windows-1252"));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no text has, every other file has
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

function begins(bytes: Buffer, with_: readonly number[]): boolean {
  return with_.every((byte, at) => bytes[at] === byte);
}
