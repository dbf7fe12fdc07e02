// The bytes of a file as a response: whole, a range of them, or 304 for those who have them.
import type { Caller } from "../auth/auth.ts";
import { begun, streamOf } from "../http/stream.ts";
import { Refusal } from "../input/errors.ts";
import * as log from "../monitoring/log.ts";
import { DestinationFailed } from "../system/backup/failed.ts";
import { storedBytes } from "./blobs.ts";
import { stored, type WantedFile } from "./files.ts";

/** Whoever is shown the file is asked again each time whether he still may see it. */
const EACH_TIME = { "cache-control": "private, no-cache", vary: "authorization, cookie" };

export async function contentResponse(
  request: Request,
  caller: Caller,
  wanted: WantedFile,
): Promise<Response> {
  const { name, type, size, sha256, is_plain } = await stored(caller, wanted);
  const etag = `"${sha256}"`;
  if (request.headers.get("if-none-match")?.includes(etag)) {
    return new Response(null, { status: 304, headers: { etag, ...EACH_TIME } });
  }
  const headers = {
    etag,
    ...EACH_TIME,
    "content-type": is_plain ? type : "application/octet-stream",
    "content-disposition": `${is_plain ? "inline" : "attachment"}; filename*=UTF-8''${encoded(name)}`,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    // The viewer of PDF files of a browser does not work in a sandbox.
    "content-security-policy": `default-src 'none'; frame-ancestors 'none'${type === "application/pdf" ? "" : "; sandbox"}`,
    "cross-origin-resource-policy": "same-origin",
  };
  const range = rangeIn(request, etag, size);
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${size}` } });
  }
  const { from, until } = range ?? { from: 0, until: size };
  const bytes = request.method === "HEAD" ? null : await readable(sha256, { from, until });
  return new Response(bytes && streamOf(bytes), {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-length": String(until - from),
      ...(range && { "content-range": `bytes ${from}-${until - 1}/${size}` }),
    },
  });
}

async function readable(sha256: string, range: { from: number; until: number }) {
  try {
    return await begun(storedBytes(sha256, range));
  } catch (error) {
    if (!(error instanceof DestinationFailed)) throw error;
    log.warn("The bytes of a file cannot be read", { sha256, reason: error.message });
    throw new Refusal(503, "The bytes of this file cannot be read now; try again shortly", {
      headers: { "Retry-After": "10" },
    });
  }
}

function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}

/** One range, as RFC 9110 defines it; several are answered with the whole file. */
function rangeIn({ headers }: Request, etag: string, size: number) {
  const condition = headers.get("if-range");
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range") ?? "") ?? [];
  if ((first === "" && last === "") || (condition !== null && condition !== etag)) return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const until = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return from < until ? { from, until } : "unsatisfiable";
}
