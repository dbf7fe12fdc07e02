// Requests to a provider, whose answers may be long, or without TLS where the metadata says so.
import { isLocal } from "./safety.ts";

/** Bytes of an answer: metadata, keys, tokens and claims are far smaller. */
const LARGEST_ANSWER = 1024 * 1024;

/** As fetch, but reads no long answer, and asks only this machine without TLS. */
export async function limitedFetch(
  url: string,
  options: { method: string; headers: object; body?: unknown; signal?: AbortSignal },
): Promise<Response> {
  if (!url.startsWith("https:") && !isLocal(url)) {
    throw new Error("The metadata of the provider names an address without TLS");
  }
  const answer = await fetch(url, { ...(options as RequestInit), redirect: "manual" });
  const { status, statusText, headers } = answer;
  const body = await readLimited(answer);
  return new Response(body, { status, statusText, headers });
}

async function readLimited({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body) return null;
  const parts: Uint8Array[] = [];
  let left = LARGEST_ANSWER;
  // Leaving the loop cancels the rest.
  for await (const part of body) {
    left -= part.length;
    if (left < 0) throw new Error("The answer of the provider is too long");
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
