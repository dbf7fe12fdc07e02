// The rows of an import: JSON objects, each on a line of its own.

import { counts } from "../../http/request_body.ts";
import { invalid, Refusal } from "../../input/errors.ts";
import { readJson } from "../../input/json.ts";
import { MOST_LINES } from "../../input/limits.ts";
import { isObject } from "../../input/text.ts";
import { MOST_ROWS, type Row } from "../../inventory/import/import.ts";

/** One more than may be sent, so that it is seen that there are too many. */
const MOST_READ = MOST_ROWS + 1;

/** For so many milliseconds others wait until it is their turn. */
const TURN = 10;

export async function rowsIn(text: string): Promise<Row[]> {
  if (counts(text, "\n") > MOST_LINES) {
    throw invalid("body", `Send at most ${MOST_LINES.toLocaleString("en")} lines`);
  }
  const found: Row[] = [];
  let line = 1;
  let began = performance.now();
  for (let at = 0; at < text.length && found.length < MOST_READ; line += 1) {
    const end = text.indexOf("\n", at);
    const json = text.slice(at, end < 0 ? text.length : end).trim();
    if (json !== "") found.push(rowIn(line, json));
    at = end < 0 ? text.length : end + 1;
    if (performance.now() - began > TURN) {
      await Bun.sleep(0);
      began = performance.now();
    }
  }
  return found;
}

function rowIn(line: number, json: string): Row {
  try {
    const fields = readJson(json);
    if (isObject(fields)) return { line, fields };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    const faults = fault.faults.map(({ field, message }) => ({
      field: field === "body" ? "row" : field,
      message,
    }));
    return { line, fields: {}, faults };
  }
  return { line, fields: {}, faults: [{ field: "row", message: "Send a JSON object" }] };
}
