// The rows of an import: JSON objects, each on a line of its own, or the lines of a table.
import { type Importer, type ImportRow, refuseColumns } from "../import/import.ts";
import { type FieldError, invalid, Refusal } from "../input/errors.ts";
import { readJson } from "../input/json.ts";
import { LARGEST_ROW, MOST_COLUMNS, MOST_LINES, MOST_ROWS } from "../input/limits.ts";
import { isObject } from "../input/text.ts";
import { mapInSlices } from "../input/time_slices.ts";
import { readTableInThread } from "../spreadsheet/table_thread.ts";

const MIB = 1024 * 1024;
/** One more than may be sent, so that it is seen that there are too many. */
const MOST_READ = MOST_ROWS + 1;
const LINE_END = 0x0a;
/** Bytes in which blanks are looked for at once. */
const BLOCK = 64 * 1024;

/** Reads UTF-8, a line at a time: no text is made that is longer than a line may be. */
export async function rowsIn(bytes: Uint8Array): Promise<ImportRow[]> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  refuseManyLines(body);
  return mapInSlices(linesIn(body), rowIn);
}

/** Read by a thread, as an uploaded file is. */
export async function rowsOfTable(
  { columns, ignored, headings }: Importer,
  bytes: Uint8Array,
): Promise<ImportRow[]> {
  const table = await readTableInThread(bytes.slice(), {
    limits: { rows: MOST_ROWS, columns: MOST_COLUMNS },
    columns,
    ignored,
    headings,
  });
  const unknown = table.columns.filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw refuseColumns(unknown);
  const rows: Record<string, ImportRow["fields"]> = JSON.parse(table.rows);
  return mapInSlices(Object.entries(rows), ([line, fields]) => ({ line: Number(line), fields }));
}

function refuseManyLines(body: Buffer): void {
  let count = 0;
  for (let at = body.indexOf(LINE_END); at >= 0; at = body.indexOf(LINE_END, at + 1)) {
    count += 1;
    if (count > MOST_LINES) {
      throw invalid("body", `Send at most ${MOST_LINES.toLocaleString("en")} lines`);
    }
  }
}

interface BodyLine {
  line: number;
  /** Undefined where the line is too long. */
  json: string | undefined;
}

/** The lines that are not blank. */
function* linesIn(body: Buffer): Generator<BodyLine> {
  let found = 0;
  let line = 1;
  for (let at = 0; at < body.length && found < MOST_READ; line += 1) {
    const end = body.indexOf(LINE_END, at);
    const json = textOf(body.subarray(at, end < 0 ? body.length : end));
    at = end < 0 ? body.length : end + 1;
    if (json === "") continue;
    found += 1;
    yield { line, json };
  }
}

function textOf(line: Buffer): string | undefined {
  const bytes = line.length > LARGEST_ROW ? trimmed(line) : line;
  return bytes.length > LARGEST_ROW ? undefined : bytes.toString("utf8").trim();
}

/** Without the blanks around it, which may be nearly all of it. */
function trimmed(line: Buffer): Buffer {
  let [start, end, isBlank] = [0, line.length, true];
  while (isBlank && end > 0) {
    const block = line.toString("latin1", Math.max(0, end - BLOCK), end);
    const rest = block.trimEnd().length;
    end -= block.length - rest;
    isBlank = rest === 0;
  }
  isBlank = true;
  while (isBlank && start < end) {
    const block = line.toString("latin1", start, Math.min(end, start + BLOCK));
    const rest = block.trimStart().length;
    start += block.length - rest;
    isBlank = rest === 0;
  }
  return line.subarray(start, end);
}

function rowIn({ line, json }: BodyLine): ImportRow {
  if (json === undefined) return refused(line, `Send at most ${LARGEST_ROW / MIB} MiB on a line`);
  try {
    const fields = readJson(json);
    return isObject(fields) ? { line, fields } : refused(line, "Send a JSON object");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line, fields: {}, errors: error.errors.map(ofRow) };
  }
}

function refused(line: number, message: string): ImportRow {
  return { line, fields: {}, errors: [{ field: "row", message }] };
}

function ofRow({ field, message }: FieldError): FieldError {
  return { field: field === "body" ? "row" : field, message };
}
