// The URL and the body of a request, refused beyond their limits while they arrive. A body is read after the permission
// is checked. The rest of a refused body is dropped for a short time, so that the sender can read the response.
import { networkOf } from "../auth/client_network.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { arrivals } from "../input/limiters.ts";
import {
  LARGEST_BODY,
  LARGEST_HELD,
  LONGEST_PATH,
  MOST_DROPPED,
  MOST_PARAMETERS,
} from "../input/limits.ts";
import { contextOf } from "./request_context.ts";

const MIB = 1024 * 1024;

/** Refuses URLs past the limits. */
export function refusalOfAddress({ url }: Request): Refusal | undefined {
  const path = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?");
  const end = query < 0 ? url.length : query;
  if (end - path > LONGEST_PATH) {
    return new Refusal(414, `Use a path of at most ${LONGEST_PATH} characters`);
  }
  return query >= 0 && countCharacter(url, "&", query) >= MOST_PARAMETERS
    ? invalid("query", `Use at most ${MOST_PARAMETERS} parameters`)
    : undefined;
}

/** Counts a character in the text, from an index. */
export function countCharacter(text: string, character: string, from = 0): number {
  let count = 0;
  for (let at = text.indexOf(character, from); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1;
  }
  return count;
}

/** The complete body. Reading stops at the limit, whatever length was announced. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const { caller, address, setTimeout } = contextOf(request);
  if (caller) {
    setTimeout?.();
    return readAll(request, most);
  }
  const leave = arrivals.take(networkOf(address));
  const bytes = await readAll(request, most).finally(leave);
  setTimeout?.();
  return bytes;
}

async function readAll(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > most) throw tooLarge(most);
  const bytes = await (announced <= LARGEST_BODY
    ? request.bytes()
    : readChunks(request, most)
  ).catch(incompleteBody);
  contextOf(request).isRead = true;
  return bytes;
}

/** The client disconnected before the end of the body. */
function incompleteBody(error: unknown): never {
  if (error instanceof Refusal) throw error;
  throw new Refusal(400, "The request ended before its body did");
}

async function readChunks(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const context = contextOf(request);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(most);
    if (size > LARGEST_BODY) reserve(context, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Chunks as they arrive. Unlike an iterated stream, the rest can still be discarded. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (value) yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

export function tooLarge(most: number): Refusal {
  const size = most >= MIB ? `${most / MIB} MiB` : `${most / 1024} KiB`;
  return new Refusal(413, `Send at most ${size}`);
}

interface HeldBody {
  held?: number;
}

let held = 0;

// A slow client reserves only what has arrived, so that others do not wait for what it has announced.
function reserve(context: HeldBody, size: number): void {
  const more = size - (context.held ?? 0);
  if (held + more > LARGEST_HELD) {
    throw new Refusal(503, "Other large files are being read; try again shortly", {
      headers: { "Retry-After": "5" },
    });
  }
  held += more;
  context.held = size;
}

/** Call it after the response. */
export function releaseBody(context: HeldBody): void {
  held -= context.held ?? 0;
  context.held = 0;
}

/**
 * Whether the body continues after the response. Bun discards a body of known length, so that the client can read
 * the response. One of unknown length is discarded for a limited time, because it may never end.
 */
export async function hasUnreadBody(request: Request): Promise<boolean> {
  if (!request.headers.has("transfer-encoding") || contextOf(request).isRead) return false;
  return Promise.race([discard(request), Bun.sleep(MAX_DISCARD_TIME).then(() => true)]);
}

const MAX_DISCARD_TIME = 1_000;

async function discard(request: Request): Promise<boolean> {
  if (!request.body || request.body.locked) return true;
  let size = 0;
  try {
    for await (const chunk of chunksOf(request)) {
      size += chunk.byteLength;
      if (size > MOST_DROPPED) return true;
    }
  } catch {
    return true;
  }
  return false;
}
