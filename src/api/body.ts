import { Refusal, refuse } from "../errors.ts";

export const LARGEST_BODY = 1024 * 1024;
/** Of what is sent row by row. */
const LARGEST_ROWS = 64 * LARGEST_BODY;

/**
 * The JSON that a request carries. What cannot be read is returned as a refusal, not thrown: a
 * stranger is to hear that he is one before he hears of his commas.
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = typeOf(request);
  const bytes = await readBytes(request, LARGEST_BODY);
  if (bytes === undefined) return new Refusal(413, "Send at most 1 MiB");
  if (bytes.length === 0) return undefined;
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) {
    return new Refusal(415, "Send JSON, with the header Content-Type: application/json");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return refuse([{ field: "body", message: "This is not JSON" }]);
  }
}

/** JSON objects, each on a line of its own, as the text that they came in. */
export async function readRows(request: Request): Promise<string | Refusal> {
  if (typeOf(request) !== "application/x-ndjson") {
    return new Refusal(
      415,
      "Send a JSON object on each line, with the header Content-Type: application/x-ndjson",
    );
  }
  const bytes = await readBytes(request, LARGEST_ROWS);
  if (bytes === undefined) return new Refusal(413, "Send at most 64 MiB");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse([{ field: "body", message: "Send text in UTF-8" }]);
  }
}

function typeOf({ headers }: Request): string {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The body, or undefined when it is too long; its end is read and dropped, not kept. */
async function readBytes(request: Request, most: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > most) return undefined;
  if (request.headers.has("content-length")) return request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
