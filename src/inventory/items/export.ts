// Exports a list of items as an Excel file, with what is visible to the caller.
import { onReplicaOnce } from "../../../db/replica.ts";
import { readFromPrimary } from "../../../db/servers.ts";
import { inLongSnapshot } from "../../../db/snapshot.ts";
import { auditCaller } from "../../auth/audit.ts";
import { addLimited } from "../../auth/audit_limits.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { formatNumber } from "../../input/text.ts";
import * as files from "../../jobs/files.ts";
import * as jobs from "../../jobs/jobs.ts";
import type { JobKind, JobResult, RunningJob } from "../../jobs/worker.ts";
import { type Cell, MOST_SHEET_ROWS, workbook } from "../../spreadsheet/workbook.ts";
import { batches } from "../../store/export/batches.ts";
import type { Field } from "../../store/fields.ts";
import { FILE_FIELDS } from "../../store/file_fields.ts";
import type { Read } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { partsFor, recordQuery } from "../../store/resource.ts";
import { SITE_FIELD } from "../../store/site/definitions.ts";
import { type Item, item } from "./item.ts";

export const itemExport: JobKind = { name: "Export of items", run };

/** Parameters that change how a list is displayed, but not what it selects. */
const DISPLAY = ["page", "per_page", "cols", "selected", "recursive"];

/** Takes the parameters of a list; invalid ones are refused at once, not in the job. */
export async function request(caller: Caller, params: URLSearchParams): Promise<jobs.Job> {
  const filters = new URLSearchParams([...params].filter(([name]) => !DISPLAY.includes(name)));
  filters.sort();
  await records.list(
    recordQuery(item, caller),
    new URLSearchParams([...filters, ["per_page", "1"]]),
  );
  const columns = columnsIn(caller, params.getAll("cols")).map(({ title }) => title);
  const wanted = { name: itemExport.name, arguments: { params: filters.toString(), columns } };
  const job = await jobs.request(caller, wanted);
  await addLimited({
    event: "export.requested",
    ...auditCaller(caller),
    target: "items",
    details: { job: job.id, query: filters.toString().slice(0, LONGEST_QUERY) },
  });
  return job;
}

/** Characters of a query that the audit log keeps. */
const LONGEST_QUERY = 500;

type ExportRow = Item & { host_id: number | null };

interface ExportColumn {
  title: string;
  width: number;
  cell: (row: ExportRow) => Cell;
}

/** Reading the history of every item would take longer than everything else. */
// The fields of the site are columns of their own.
const WITHOUT = ["history", SITE_FIELD, ...FILE_FIELDS];
/** Long texts, author and times come last. */
const LAST = ["comments", "user", "created_at", "updated_at"];
/** In characters; the width of other columns depends on their kind. */
const WIDTHS: Record<string, number> = {
  children: 16,
  macs: 20,
  comments: 40,
  status: 14,
  user: 14,
};
const WIDTHS_OF_KINDS: Partial<Record<Field["kind"], number>> = { name: 20, text: 24, time: 17 };

const names = Object.keys(item.fields).filter((name) => !WITHOUT.includes(name));
const COLUMNS = [...names.filter((name) => !LAST.includes(name)), ...LAST].map(columnOf);

function columnOf(title: string): ExportColumn {
  return columnOfKind(title, item.fields[title as keyof typeof item.fields].kind);
}

function columnOfKind(title: string, kind: Field["kind"]): ExportColumn {
  const width = WIDTHS[title] ?? WIDTHS_OF_KINDS[kind] ?? Math.max(10, title.length + 2);
  const separator = title === "comments" ? "\n" : ", ";
  return {
    title,
    width,
    cell: (row) => cellOf(kind, row[title as keyof ExportRow], separator),
  };
}

function cellOf(kind: Field["kind"], value: ExportRow[keyof ExportRow], separator: string): Cell {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return kind === "time" ? time(value) : value;
  return Array.isArray(value) ? value.join(separator) : JSON.stringify(value ?? null);
}

/** The ICS id and the chosen columns, in order; all columns if none are chosen. */
function columnsIn(caller: Caller, chosen: string[]): ExportColumn[] {
  const ofSite = Object.entries(partsFor(item, caller));
  const all = [...COLUMNS, ...ofSite.map(([name, { kind }]) => columnOfKind(name, kind))];
  if (chosen.length === 0) return all;
  const names = [...new Set(["ics_id", ...chosen])];
  return names.flatMap((name) => all.filter(({ title }) => title === name));
}

/** In one snapshot: a file with an item in its old crate and the crate in its new place would mislead. */
function run(work: RunningJob): Promise<JobResult> {
  const exportAll = () => inLongSnapshot((read) => readFromPrimary(() => write(work, read)));
  // A replica cancels statements that would delay it for long: the next attempt reads from the primary.
  return work.attempt > 1 ? exportAll() : onReplicaOnce(exportAll);
}

async function write(work: RunningJob, read: Read): Promise<JobResult> {
  const query = recordQuery(item, work.caller);
  const params = new URLSearchParams(String(work.arguments.params));
  const columns = columnsIn(work.caller, work.arguments.columns as string[]);
  const keys = await records.keys(query, params, { read });
  if (keys.length > MOST_SHEET_ROWS) {
    throw invalid("items", `A sheet can hold ${count(MOST_SHEET_ROWS)}; filter the list first`);
  }
  const exported = { items: 0, hosts: new Set<number>() };
  const shown = ["host_id", ...columns.map(({ title }) => title)];
  const exportQuery = records.pick(query, shown) as records.RecordQuery<ExportRow>;
  const rows = cellsOf(work, {
    batches: batches(exportQuery, keys, { read }),
    total: keys.length,
    columns,
    exported,
  });
  await files.store(work, workbook({ name: "Items", columns, rows }));
  const day = new Date().toISOString().slice(0, 10);
  return {
    result: `items-${day}.xlsx`,
    message: count(exported.items),
    hosts: [...exported.hosts],
  };
}

interface ExportContext {
  batches: AsyncIterable<ExportRow[]>;
  total: number;
  columns: ExportColumn[];
  /** What the file contains so far. */
  exported: { items: number; hosts: Set<number> };
}

async function* cellsOf(
  work: RunningJob,
  { batches, total, columns, exported }: ExportContext,
): AsyncGenerator<Cell[][]> {
  for await (const rows of batches) {
    const { items } = exported;
    work.report(Math.floor((items / total) * 99), `${formatNumber(items)} of ${count(total)}`);
    for (const { host_id } of rows) if (host_id !== null) exported.hosts.add(host_id);
    exported.items += rows.length;
    yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    // Garbage would grow to fifty megabytes otherwise; a collection takes 5 ms.
    Bun.gc(true);
  }
}

function time(shown: string): Date {
  return new Date(`${shown.replace(" ", "T")}Z`);
}

function count(items: number): string {
  return `${formatNumber(items)} ${items === 1 ? "item" : "items"}`;
}
