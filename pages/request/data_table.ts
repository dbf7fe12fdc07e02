// The requests of DataTables as the parameters of our own lists, and the answers in its format.
import { type FieldError, refuse } from "../../src/input/errors.ts";
import { type ListJson, rowsOf } from "../../src/store/records.ts";
import { field } from "./form_values.ts";

const MOST_ROWS_OF_A_PAGE = 100;
const LARGEST = 1_000_000_000;

export interface TableRequest {
  draw: number;
  /** The page that contains the first requested row. */
  params: URLSearchParams;
  /** How many rows of that page come before the first requested row. */
  skipped: number;
}

/** `columns` maps column numbers to names; the filters in the URL are kept. */
export function readTableRequest(
  form: FormData,
  filters: URLSearchParams,
  columns: ReadonlyArray<{ name: string; sortable?: boolean }>,
): TableRequest {
  const errors: FieldError[] = [];
  const draw = integerIn(form, { name: "draw", least: 0, otherwise: 0, most: LARGEST }, errors);
  const length = integerIn(
    form,
    { name: "length", least: 1, otherwise: 20, most: MOST_ROWS_OF_A_PAGE },
    errors,
  );
  const start = integerIn(form, { name: "start", least: 0, otherwise: 0, most: LARGEST }, errors);
  const params = new URLSearchParams(filters);
  params.set("page", String(Math.floor(start / length) + 1));
  params.set("per_page", String(length));
  const text = field(form, "search[value]");
  if (text) params.set("q", text);
  const sort = order(form, columns, errors);
  if (sort) params.set("sort", sort);
  if (errors.length > 0) throw refuse(errors);
  return { draw, params, skipped: start % length };
}

/** Rows that start in the middle of a page end in the middle of the next, so both are read. */
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

function integerIn(form: FormData, range: Range, errors: FieldError[]): number {
  const text = field(form, range.name);
  if (text === "") return range.otherwise;
  const value = Number(text);
  if (/^[0-9]{1,10}$/.test(text) && value >= range.least && value <= range.most) return value;
  const message = `Use a whole number from ${range.least} to ${range.most}`;
  errors.push({ field: range.name, message });
  return range.otherwise;
}

/** A column by its number, or by its name. */
function order(
  form: FormData,
  columns: ReadonlyArray<{ name: string; sortable?: boolean }>,
  errors: FieldError[],
): string | undefined {
  const text = field(form, "order[0][column]");
  const direction = field(form, "order[0][dir]") || "asc";
  if (direction !== "asc" && direction !== "desc") {
    errors.push({ field: "order[0][dir]", message: "Use asc or desc" });
  }
  if (text === "") return undefined;
  const column = /^[0-9]+$/.test(text)
    ? columns[Number(text)]
    : columns.find(({ name }) => name === text);
  if (!column?.sortable) {
    errors.push({ field: "order[0][column]", message: "This list cannot be sorted by that" });
    return undefined;
  }
  return direction === "desc" ? `-${column.name}` : column.name;
}
