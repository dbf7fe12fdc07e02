// The requests of DataTables as the parameters of our own lists, and the answers in its format.
import { type FieldError, refuse } from "../../src/input/errors.ts";
import { type ListJson, rowsOf } from "../../src/store/records.ts";
import { field } from "./form_values.ts";

const MOST = 100;
const LARGEST = 1_000_000_000;

export interface TableRequest {
  draw: number;
  /** The page in which the wanted rows begin. */
  params: URLSearchParams;
  /** How many rows of it come before them; as many are missing at its end. */
  skipped: number;
}

/** `columns` are the names behind the numbers; the filters of the address stay. */
export function readTable(
  form: FormData,
  filters: URLSearchParams,
  columns: ReadonlyArray<{ name: string; sortable?: boolean }>,
): TableRequest {
  const faults: FieldError[] = [];
  const draw = whole(form, { name: "draw", least: 0, otherwise: 0, most: LARGEST }, faults);
  const length = whole(form, { name: "length", least: 1, otherwise: 20, most: MOST }, faults);
  const start = whole(form, { name: "start", least: 0, otherwise: 0, most: LARGEST }, faults);
  const params = new URLSearchParams(filters);
  params.set("page", String(Math.floor(start / length) + 1));
  params.set("per_page", String(length));
  const text = field(form, "search[value]");
  if (text) params.set("q", text);
  const sort = order(form, columns, faults);
  if (sort) params.set("sort", sort);
  if (faults.length > 0) throw refuse(faults);
  return { draw, params, skipped: start % length };
}

/** Where the rows begin in the middle of a page, they end in the middle of the next. */
export async function tableRows(
  { draw, params, skipped }: TableRequest,
  list: (params: URLSearchParams) => Promise<ListJson>,
): Promise<Response> {
  const next = new URLSearchParams(params);
  next.set("page", String(Number(params.get("page")) + 1));
  const [first, all, rest] = await Promise.all([
    list(params),
    list(new URLSearchParams({ per_page: "1" })),
    skipped > 0 ? list(next) : undefined,
  ]);
  const rows = [first, rest].flatMap((listed) => (listed ? rowsOf(listed) : []));
  return Response.json({
    draw,
    recordsTotal: all.total,
    recordsFiltered: first.total,
    data: rows.slice(skipped, skipped + first.per_page),
  });
}

interface Range {
  name: string;
  least: number;
  most: number;
  otherwise: number;
}

function whole(form: FormData, wanted: Range, faults: FieldError[]): number {
  const text = field(form, wanted.name);
  if (text === "") return wanted.otherwise;
  const value = Number(text);
  if (/^[0-9]{1,10}$/.test(text) && value >= wanted.least && value <= wanted.most) return value;
  const message = `Use a whole number from ${wanted.least} to ${wanted.most}`;
  faults.push({ field: wanted.name, message });
  return wanted.otherwise;
}

/** A column by its number, or by its name. */
function order(
  form: FormData,
  columns: ReadonlyArray<{ name: string; sortable?: boolean }>,
  faults: FieldError[],
): string | undefined {
  const text = field(form, "order[0][column]");
  const direction = field(form, "order[0][dir]") || "asc";
  if (direction !== "asc" && direction !== "desc") {
    faults.push({ field: "order[0][dir]", message: "Use asc or desc" });
  }
  if (text === "") return undefined;
  const column = /^[0-9]+$/.test(text)
    ? columns[Number(text)]
    : columns.find(({ name }) => name === text);
  if (!column?.sortable) {
    faults.push({ field: "order[0][column]", message: "This list cannot be sorted by that" });
    return undefined;
  }
  return direction === "desc" ? `-${column.name}` : column.name;
}
