// A list of items as an Excel file: all that match, as whoever asks for it may see them.
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import * as files from "../../jobs/files.ts";
import * as jobs from "../../jobs/jobs.ts";
import type { Kind, Outcome, Work } from "../../jobs/worker.ts";
import { type Cell, MOST_ROWS, workbook } from "../../spreadsheet/workbook.ts";
import * as records from "../../store/records.ts";
import { itemResource } from "./record.ts";

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
  await records.list(itemResource(caller), new URLSearchParams([...asked, ["per_page", "1"]]));
  const columns = columnsIn(params.getAll("cols")).map(({ title }) => title);
  return jobs.request(caller, {
    name: itemExport.name,
    arguments: { params: asked.toString(), columns },
  });
}

interface Row {
  ics_id: string;
  serial_number: string;
  quantity: number;
  manufacturer: string | null;
  model: string | null;
  location: string | null;
  status: string | null;
  parent: string | null;
  children: string[];
  macs: string[];
  host: string | null;
  host_id: number | null;
  stack_member: number | null;
  comments: string[];
  user: string | null;
  created_at: string;
  updated_at: string;
}

interface Column {
  title: keyof Row;
  width: number;
  cell: (row: Row) => Cell;
}

const COLUMNS: Column[] = [
  { title: "ics_id", width: 10, cell: (row) => row.ics_id },
  { title: "serial_number", width: 24, cell: (row) => row.serial_number },
  { title: "quantity", width: 10, cell: (row) => row.quantity },
  { title: "manufacturer", width: 20, cell: (row) => row.manufacturer },
  { title: "model", width: 20, cell: (row) => row.model },
  { title: "location", width: 20, cell: (row) => row.location },
  { title: "status", width: 14, cell: (row) => row.status },
  { title: "parent", width: 10, cell: (row) => row.parent },
  { title: "children", width: 16, cell: (row) => row.children.join(", ") },
  { title: "macs", width: 20, cell: (row) => row.macs.join(", ") },
  { title: "host", width: 20, cell: (row) => row.host },
  { title: "stack_member", width: 14, cell: (row) => row.stack_member },
  { title: "comments", width: 40, cell: (row) => row.comments.join("\n") },
  { title: "user", width: 14, cell: (row) => row.user },
  { title: "created_at", width: 17, cell: (row) => time(row.created_at) },
  { title: "updated_at", width: 17, cell: (row) => time(row.updated_at) },
];

/** Those that the list shows, in its order: the label, and what is chosen. All, where nothing is. */
function columnsIn(chosen: string[]): Column[] {
  if (chosen.length === 0) return COLUMNS;
  const names = [...new Set(["ics_id", ...chosen])];
  return names.flatMap((name) => COLUMNS.filter(({ title }) => title === name));
}

async function run(work: Work): Promise<Outcome> {
  const resource = itemResource(work.caller);
  const params = new URLSearchParams(String(work.arguments.params));
  const columns = columnsIn(work.arguments.columns as string[]);
  const keys = await records.keys(resource, params);
  if (keys.length > MOST_ROWS) {
    throw invalid("items", `A sheet holds ${count(MOST_ROWS)}; filter the list first`);
  }
  const told = { items: 0, hosts: new Set<number>() };
  // The history of every item would cost more than all the rest.
  const exported = records.pick(resource, ["host_id", ...columns.map(({ title }) => title)]);
  const rows = cellsOf(work, { resource: exported, keys, columns, told });
  await files.keep(work, workbook({ name: "Items", columns, rows }));
  const day = new Date().toISOString().slice(0, 10);
  return { result: `items-${day}.xlsx`, message: count(told.items), hosts: [...told.hosts] };
}

interface Exporting {
  resource: records.RecordQuery;
  keys: number[];
  columns: Column[];
  /** What has gone into the file. */
  told: { items: number; hosts: Set<number> };
}

async function* cellsOf(
  work: Work,
  { resource, keys, columns, told }: Exporting,
): AsyncGenerator<Cell[][]> {
  for (let at = 0; at < keys.length; at += BATCH) {
    work.report(Math.floor((at / keys.length) * 99), `${number(at)} of ${count(keys.length)}`);
    const rows = await records.some<Row>(resource, keys.slice(at, at + BATCH));
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
