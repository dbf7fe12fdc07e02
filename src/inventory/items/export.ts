// A list of items as an Excel file: all that match, as whoever asks for it may see them.
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import * as files from "../../jobs/files.ts";
import * as jobs from "../../jobs/jobs.ts";
import type { Kind, Outcome, Work } from "../../jobs/worker.ts";
import { type Cell, MOST_ROWS, workbook } from "../../spreadsheet/workbook.ts";
import type { Field } from "../../store/fields.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Item, item } from "./item.ts";

export const itemExport: Kind = { name: "Export of items", run };

/** What says how a list is shown, not what is in it. */
const DISPLAY = ["page", "per_page", "cols", "selected", "recursive"];
const BATCH = 500;
/** So many leave megabytes of garbage, which would pile up to fifty by itself; to sweep it takes 5 ms. */
const SWEEP = 2 * BATCH;

/** For the filters, the search, the order and the columns of a list; what is wrong is refused at once. */
export async function request(caller: Caller, params: URLSearchParams): Promise<jobs.Job> {
  const asked = new URLSearchParams([...params].filter(([name]) => !DISPLAY.includes(name)));
  asked.sort();
  await records.list(recordQuery(item, caller), new URLSearchParams([...asked, ["per_page", "1"]]));
  const columns = columnsIn(params.getAll("cols")).map(({ title }) => title);
  return jobs.request(caller, {
    name: itemExport.name,
    arguments: { params: asked.toString(), columns },
  });
}

type Row = Item & { host_id: number | null };

interface Column {
  title: string;
  width: number;
  cell: (row: Row) => Cell;
}

/** The history of every item would cost more than all the rest. */
const WITHOUT = ["history"];
/** Long texts, and who and when, come last. */
const LAST = ["comments", "user", "created_at", "updated_at"];
/** In characters; other columns are as wide as their kind. */
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

function columnOf(title: string): Column {
  const { kind } = item.fields[title as keyof typeof item.fields];
  const width = WIDTHS[title] ?? WIDTHS_OF_KINDS[kind] ?? Math.max(10, title.length + 2);
  const separator = title === "comments" ? "\n" : ", ";
  return {
    title,
    width,
    cell: (row) => cellOf(kind, row[title as keyof Row], separator),
  };
}

function cellOf(kind: Field["kind"], value: Row[keyof Row], separator: string): Cell {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "string") return kind === "time" ? time(value) : value;
  return value.join(separator);
}

/** Those that the list shows, in its order: the label, and what is chosen. All, where nothing is. */
function columnsIn(chosen: string[]): Column[] {
  if (chosen.length === 0) return COLUMNS;
  const names = [...new Set(["ics_id", ...chosen])];
  return names.flatMap((name) => COLUMNS.filter(({ title }) => title === name));
}

async function run(work: Work): Promise<Outcome> {
  const query = recordQuery(item, work.caller);
  const params = new URLSearchParams(String(work.arguments.params));
  const columns = columnsIn(work.arguments.columns as string[]);
  const keys = await records.keys(query, params);
  if (keys.length > MOST_ROWS) {
    throw invalid("items", `A sheet holds ${count(MOST_ROWS)}; filter the list first`);
  }
  const told = { items: 0, hosts: new Set<number>() };
  const shown = ["host_id", ...columns.map(({ title }) => title)];
  const exported = records.pick(query, shown) as records.RecordQuery<Row>;
  const rows = cellsOf(work, { query: exported, keys, columns, told });
  await files.keep(work, workbook({ name: "Items", columns, rows }));
  const day = new Date().toISOString().slice(0, 10);
  return { result: `items-${day}.xlsx`, message: count(told.items), hosts: [...told.hosts] };
}

interface Exporting {
  query: records.RecordQuery<Row>;
  keys: number[];
  columns: Column[];
  /** What has gone into the file. */
  told: { items: number; hosts: Set<number> };
}

async function* cellsOf(
  work: Work,
  { query, keys, columns, told }: Exporting,
): AsyncGenerator<Cell[][]> {
  for (let at = 0; at < keys.length; at += BATCH) {
    work.report(Math.floor((at / keys.length) * 99), `${number(at)} of ${count(keys.length)}`);
    const rows = await records.some(query, keys.slice(at, at + BATCH));
    for (const { host_id } of rows) if (host_id !== null) told.hosts.add(host_id);
    told.items += rows.length;
    yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    if ((at + BATCH) % SWEEP === 0) Bun.gc(true);
  }
}

function time(shown: string): Date {
  return new Date(`${shown.replace(" ", "T")}Z`);
}

function count(items: number): string {
  return `${number(items)} ${items === 1 ? "item" : "items"}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
