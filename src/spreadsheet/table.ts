// The rows of a spreadsheet under the names that its first line gives to the columns.
import { invalid } from "../input/errors.ts";
import { readLines } from "./read.ts";
import type { Limits, Line } from "./tally.ts";

/** What a spreadsheet may have in it. */
export interface Wanted {
  limits: Limits;
  /** The names of columns that are read. */
  columns: readonly string[];
  /** The names of columns that may be there, but are not read. */
  ignored: readonly string[];
}

export interface Table {
  /** Those of the wanted columns that are there, in the order of the spreadsheet. */
  columns: string[];
  /** JSON: an object of the rows by their line, each an object of its cells by their column. */
  rows: string;
}

export async function readTable(file: Uint8Array, wanted: Wanted): Promise<Table> {
  const [headings, ...lines] = await readLines(file, wanted.limits);
  const names = namesOf(headings?.cells ?? [], wanted);
  if (lines.length === 0) throw invalid("file", "There are no rows below the headings");
  const rows = lines.map((line) => [line.line, fieldsOf(line, names, wanted)]);
  return {
    columns: names.filter((name) => wanted.columns.includes(name)),
    rows: JSON.stringify(Object.fromEntries(rows)),
  };
}

function namesOf(headings: string[], wanted: Wanted): string[] {
  const names = headings.map((heading) => heading.toLowerCase().replace(/[\s-]+/g, "_"));
  const known = [...wanted.columns, ...wanted.ignored];
  const strange = headings.filter((_, at) => names[at] && !known.includes(names[at]));
  const columns = wanted.columns.join(", ");
  if (strange.length > 0) {
    const which = strange.slice(0, 5).map((heading) => `‘${heading.slice(0, 40)}’`);
    const is = strange.length === 1 ? "There is no column" : "There are no columns";
    throw invalid("file", `${is} ${which.join(", ")}; its first row may name ${columns}`);
  }
  const twice = headings.find((_, at) => names[at] && names.indexOf(names[at]) !== at);
  if (twice) throw invalid("file", `The column ‘${twice}’ is there twice`);
  if (!names.some((name) => wanted.columns.includes(name))) {
    throw invalid("file", `Its first row has to name the columns: ${columns}`);
  }
  return names;
}

function fieldsOf({ line, cells }: Line, names: string[], wanted: Wanted): Record<string, string> {
  const lost = cells.findIndex((cell, at) => cell !== "" && !names[at]);
  if (lost >= 0) {
    throw invalid(
      "file",
      `In line ${line} there is ‘${cells[lost]?.slice(0, 40)}’ without a heading`,
    );
  }
  return Object.fromEntries(
    names.flatMap((name, at) => (wanted.columns.includes(name) ? [[name, cells[at] ?? ""]] : [])),
  );
}
