import { Refusal, refuse } from "../errors.ts";

export const LARGEST_BODY = 1024 * 1024;

/**
 * The JSON that a request carries. What cannot be read is returned as a refusal, not thrown: a
 * stranger is to hear that he is one before he hears of his commas.
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const bytes = await readBytes(request);
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

/** The body, or undefined when it is too long; its end is read and dropped, not kept. */
async function readBytes(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY) return undefined;
  if (request.headers.has("content-length")) return request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
