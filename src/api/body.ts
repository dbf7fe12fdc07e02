import { isUtf8 } from "node:buffer";
import { readBytes } from "../http/request_body.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { notJson, readJson as parsed } from "../input/json.ts";
import { LARGEST_BODY, LARGEST_ROWS } from "../input/limits.ts";

/** The JSON that a request carries; undefined where it carries nothing. */
export async function readJsonBody(request: Request, most = LARGEST_BODY): Promise<unknown> {
  const bytes = await readBytes(request, most);
  if (bytes.length === 0) return undefined;
  if (!/^application\/([\w.-]+\+)?json$/.test(typeOf(request))) {
    throw new Refusal(415, "Send JSON, with the header Content-Type: application/json");
  }
  return parsed(textOf(bytes));
}

/**
 * JSON objects, each on a line of its own, or a table, as the bytes that came in: as one text they would take so long to
 * decode, and to hash, that others had to wait.
 */
export async function readRows(request: Request): Promise<Uint8Array> {
  if (isCsv(request)) return readBytes(request, LARGEST_ROWS);
  if (typeOf(request) !== "application/x-ndjson") {
    throw new Refusal(
      415,
      "Send a JSON object on each line with the header Content-Type: application/x-ndjson, or a table with text/csv",
    );
  }
  const bytes = await readBytes(request, LARGEST_ROWS);
  if (!isUtf8(bytes)) throw invalid("body", "Send text in UTF-8");
  return bytes;
}

export function isCsv(request: Request): boolean {
  return typeOf(request) === "text/csv";
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
}

function typeOf({ headers }: Request): string {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}
