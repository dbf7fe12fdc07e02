// A whole list as a file: CSV, Excel or JSON lines. All of it is from one snapshot, and it is made while it is sent.
import { inLongSnapshot } from "../../db/snapshot.ts";
import { auditCaller } from "../auth/audit.ts";
import { addLimited } from "../auth/audit_limits.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid, refuse } from "../input/errors.ts";
import { fileSlots } from "../input/limiters.ts";
import * as log from "../monitoring/log.ts";
import { CSV_TYPE, type CsvCell, csvLine } from "../spreadsheet/csv.ts";
import { MOST_SHEET_ROWS, WORKBOOK_TYPE, workbook } from "../spreadsheet/workbook.ts";
import { batches } from "../store/export/batches.ts";
import { FILE_FIELDS } from "../store/file_fields.ts";
import type { Read } from "../store/read.ts";
import type { ListJson, RecordQuery, WholeList } from "../store/records.ts";
import { contextOf } from "./request_context.ts";

export type ListFormat = keyof typeof FORMATS;

export interface ListFile {
  name: string;
  /** The fields of each row. */
  titles: readonly string[];
  list: ReadableList;
}

interface ReadableList extends WholeList {
  read: Read;
}

const FORMATS = {
  csv: { type: CSV_TYPE, write: csv },
  xlsx: { type: WORKBOOK_TYPE, write: sheet },
  ndjson: { type: "application/x-ndjson; charset=utf-8", write: lines },
};

/** Fields that do not fit in a cell: images and histories. */
export const NOT_IN_CELLS = ["qrcode", "history", ...FILE_FIELDS];
/** What only a page of a list has. */
const OF_PAGES = ["page", "per_page", "cursor", "recursive", "skip_total"];

/** The format that the request prefers to JSON. */
export function formatOf({ headers }: Request): ListFormat | undefined {
  const ranges = (headers.get("accept") ?? "").split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith("q="))?.slice(2) ?? "1";
    return { type, weight: Number(weight) };
  });
  const [best] = ranges.toSorted((one, other) => other.weight - one.weight);
  const found = Object.entries(FORMATS).find(([, { type }]) => type.split(";")[0] === best?.type);
  return found?.[0] as ListFormat | undefined;
}

/** The fields that a request asks for, of those that there are. */
export function fieldsIn(
  params: URLSearchParams,
  known: readonly string[] | undefined,
): string[] | undefined {
  if (!params.has("fields")) return undefined;
  const wanted = [...new Set(params.getAll("fields").flatMap((text) => text.split(",")))];
  const unknown = known && wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return wanted;
  const message = `There is no field '${unknown}'; there are ${known?.join(", ")}`;
  throw invalid("fields", message, "unknown_field");
}

/** The list that was asked for by its page. */
export async function fileOf(
  request: Request,
  { params, names = [], whole }: ListJson,
  format: ListFormat,
): Promise<Response> {
  const wrong = OF_PAGES.filter((name) => params.has(name));
  const message = "A file has the whole list; leave this out";
  if (wrong.length > 0) throw refuse(wrong.map((field) => ({ field, message })));
  // In a table the fields of the site are columns of their own.
  const isInside = (name: string) => name.includes(".");
  const hasInside = (name: string) => names.some((one) => one.startsWith(`${name}.`));
  const inCells = names.filter((name) =>
    format === "ndjson" ? !isInside(name) : !NOT_IN_CELLS.includes(name) && !hasInside(name),
  );
  const titles = fieldsIn(params, names) ?? inCells;
  const { caller } = contextOf(request);
  const name = new URL(request.url).pathname.split("/").at(-1) ?? "list";
  if (!whole || !caller) throw new Error(`The list ${name} cannot be a file`);
  return respond(caller, format, async (read) => ({
    name,
    titles,
    list: { ...(await whole(read, titles)), read },
  }));
}

/** The response with the file that `make` reads. */
export async function respond(
  caller: Caller,
  format: ListFormat,
  make: (read: Read) => Promise<ListFile>,
): Promise<Response> {
  const { type, write } = FORMATS[format];
  const begun = Promise.withResolvers<ListFile>();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const done = fileSlots.take(caller.username);
  void inLongSnapshot(async (read) => {
    const file = await make(read);
    if (format === "xlsx" && file.list.ids.length > MOST_SHEET_ROWS) {
      const most = MOST_SHEET_ROWS.toLocaleString("en");
      throw invalid("list", `A sheet holds ${most} rows; filter the list`);
    }
    begun.resolve(file);
    for await (const part of write(file)) await writer.write(part);
    await writer.close();
  })
    .catch((error) => {
      begun.reject(error);
      // Whoever reads gets no end of the file.
      return writer.abort(error).catch(() => {});
    })
    .finally(done);
  const { name } = await begun.promise;
  await noteExport(caller, name, format);
  const day = new Date().toISOString().slice(0, 10);
  const fileName = `${name.replaceAll(" ", "-")}-${day}.${format}`;
  return new Response(readable, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${fileName}"`,
      vary: "accept",
    },
  });
}

/** A replica cannot write it. */
async function noteExport(caller: Caller, target: string, format: ListFormat): Promise<void> {
  await addLimited({
    event: "export.requested",
    ...auditCaller(caller),
    target,
    details: { format },
  }).catch((error) => log.warn("An export is not in the audit log", { error: String(error) }));
}

const encoder = new TextEncoder();

async function* csv({ titles, list }: ListFile): AsyncGenerator<Uint8Array> {
  yield encoder.encode(csvLine(titles));
  for await (const rows of cellsOf(titles, list)) yield encoder.encode(rows.map(csvLine).join(""));
}

function sheet({ name, titles, list }: ListFile): AsyncGenerator<Uint8Array> {
  const columns = titles.map((title) => ({ title, width: Math.max(16, title.length + 2) }));
  return workbook({ name, columns, rows: cellsOf(titles, list) });
}

async function* lines({ list }: ListFile): AsyncGenerator<Uint8Array> {
  for await (const rows of rowsOf(list))
    yield encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

async function* rowsOf({ query, ids, change, read }: ReadableList) {
  const all = batches(query as RecordQuery<Record<string, unknown>>, ids, { read });
  for await (const rows of all) yield change ? rows.map((row) => change(row as never)) : rows;
}

async function* cellsOf(
  titles: readonly string[],
  list: ReadableList,
): AsyncGenerator<CsvCell[][]> {
  for await (const rows of rowsOf(list))
    yield rows.map((row) => titles.map((title) => cellOf((row as Record<string, unknown>)[title])));
}

function cellOf(value: unknown): CsvCell {
  if (value == null) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const texts = Array.isArray(value) ? value : [value];
  return texts
    .map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)))
    .join(", ");
}
