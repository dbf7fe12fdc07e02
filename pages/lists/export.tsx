// GET /lists/export: the whole list as a file, filtered as in the address. It is read in batches while it is sent.
import { Elysia } from "elysia";
import { auditCaller } from "../../src/auth/audit.ts";
import { addLimited } from "../../src/auth/audit_limits.ts";
import type { Caller } from "../../src/auth/auth.ts";
import { REACH_KINDS, type Reach, reachOf } from "../../src/auth/token_limits.ts";
import { streamOf } from "../../src/http/stream.ts";
import { invalid } from "../../src/input/errors.ts";
import * as log from "../../src/monitoring/log.ts";
import { CSV_TYPE, type CsvCell, csvLine } from "../../src/spreadsheet/csv.ts";
import { MOST_SHEET_ROWS, WORKBOOK_TYPE, workbook } from "../../src/spreadsheet/workbook.ts";
import { batches } from "../../src/store/export/batches.ts";
import * as records from "../../src/store/records.ts";
import { Icon } from "../parts/icon.tsx";
import { requireOnDemand, requireOurSite } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { type ListSource, requireList, sources } from "./sources.ts";

const PATH = "/lists/export";
/** Parameters of a list that change how it is displayed, and our own. */
const DISPLAY = ["page", "per_page", "cols", "selected", "recursive", "list", "format"];
/** Fields that do not fit in a cell: images and histories. */
const WITHOUT = ["qrcode", "history"];

const FORMATS = {
  csv: { type: CSV_TYPE, write: csv },
  xlsx: { type: WORKBOOK_TYPE, write: sheet },
};

function reachOfList(search: URLSearchParams): Reach {
  const source = sources.get(search.get("list") ?? "");
  return source ? reachOf(source.resource) : { kinds: REACH_KINDS };
}

export const listExportPages = new Elysia({ normalize: false }).use(guard).get(
  PATH,
  async ({ request, caller, search }) => {
    requireOnDemand(request);
    requireOurSite(request);
    const source = requireList(caller, search.get("list") ?? "");
    const format = search.get("format") === "xlsx" ? "xlsx" : "csv";
    const table = await tableOf(caller, source, search);
    const day = new Date().toISOString().slice(0, 10);
    const { type, write } = FORMATS[format];
    const { plural } = source.resource;
    const name = `${plural.replaceAll(" ", "-")}-${day}.${format}`;
    // A replica cannot write it.
    await addLimited({
      event: "export.requested",
      ...auditCaller(caller),
      target: plural,
      details: { format },
    }).catch((error) => log.warn("An export is not in the audit log", { error: String(error) }));
    return new Response(streamOf(write(table)), {
      headers: { "content-type": type, "content-disposition": `attachment; filename="${name}"` },
    });
  },
  { fetch: { allowed: "everyone", reach: reachOfList } },
);

interface ListTable {
  name: string;
  titles: string[];
  rows: AsyncIterable<CsvCell[][]>;
}

async function tableOf(
  caller: Caller,
  { resource, query: queryFor, read }: ListSource,
  params: URLSearchParams,
): Promise<ListTable> {
  const query = await queryFor(caller);
  const filters = [...params].filter(([name]) => !DISPLAY.includes(name));
  const keys = await records.keys(query, read(new URLSearchParams(filters)));
  if (keys.length > MOST_SHEET_ROWS) {
    throw invalid(
      "list",
      `A file holds ${MOST_SHEET_ROWS.toLocaleString("en")} rows; filter the list`,
    );
  }
  const known = Object.entries(query.fields)
    .filter(([name, { hidden }]) => !hidden && !WITHOUT.includes(name))
    .map(([name]) => name);
  // Lists also show fields that are in a record only if they are picked, such as the IPs of a host.
  const picked = Object.keys(resource.fields).filter((name) => !resource.fields[name]?.schema);
  const offered = [...known, ...picked.filter((name) => name in query.fields)];
  const chosen = [resource.key, ...params.getAll("cols")].filter((name) => offered.includes(name));
  const titles = params.has("cols") ? [...new Set(chosen)] : known;
  return {
    name: resource.plural,
    titles,
    rows: rowsOf(records.pick(query, titles), { keys, titles }),
  };
}

async function* rowsOf(
  query: records.RecordQuery,
  { keys, titles }: { keys: number[]; titles: string[] },
): AsyncGenerator<CsvCell[][]> {
  const read = batches(query as records.RecordQuery<Record<string, unknown>>, keys);
  for await (const rows of read) yield rows.map((row) => titles.map((title) => cellOf(row[title])));
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

async function* csv({ titles, rows }: ListTable): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(csvLine(titles));
  for await (const batch of rows) yield encoder.encode(batch.map(csvLine).join(""));
}

function sheet({ name, titles, rows }: ListTable): AsyncGenerator<Uint8Array> {
  const columns = titles.map((title) => ({ title, width: Math.max(16, title.length + 2) }));
  return workbook({ name, columns, rows });
}

interface ExportsProps {
  path: string;
  params: URLSearchParams;
  /** The page that starts a job for the Excel file, if the list has one. */
  excel?: string | undefined;
}

/** Links to the list as a file. */
export function Exports({ path, params, excel }: ExportsProps) {
  const address = (format: string) => {
    const listParams = new URLSearchParams(params);
    for (const name of ["page", "per_page", "selected"]) listParams.delete(name);
    return `${PATH}?${new URLSearchParams([["list", path], ["format", format], ...listParams])}`;
  };
  return (
    <details class="chooser menu">
      <summary>
        <Icon name="download" /> Export
      </summary>
      <ul>
        <li>
          <a href={address("csv")}>CSV</a>
        </li>
        <li>
          <a href={excel ?? address("xlsx")}>Excel</a>
        </li>
      </ul>
    </details>
  );
}
