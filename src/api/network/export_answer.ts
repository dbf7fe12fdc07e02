import type { Caller } from "../../auth/auth.ts";
import { inOnePiece } from "../../http/single_chunk.ts";
import { type Feed, tell } from "../../network/feeds/mod.ts";

export interface Asked {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

/** How a route tells of an answer that is no JSON. */
export const TEXT = { 200: { description: "Text", content: { "text/plain": { schema: {} } } } };

/** Kept by whoever asked, and asked for again each time: mostly the answer is that it still holds. */
const REVALIDATE = { "cache-control": "private, no-cache", vary: "authorization" };

export async function answerOf(feed: Feed, { request, caller, search }: Asked): Promise<Response> {
  const known = request.headers.get("if-none-match");
  const { etag, text } = await tell(caller, feed, { params: search, known });
  const headers = { ...REVALIDATE, etag };
  if (text === undefined) return new Response(null, { status: 304, headers });
  return new Response(inOnePiece(text), {
    headers: { ...headers, "content-type": `${feed.type}; charset=utf-8` },
  });
}

const MEANINGS: Record<string, { schema: object; description: string }> = {
  since: {
    schema: { type: "string" },
    description: "A time or an ETag: answer 304 if nothing has changed since then",
  },
  scope: {
    schema: { type: "string" },
    description: "Of a network in this scope; repeat for one of several",
  },
  network: {
    schema: { type: "string" },
    description: "Of this network; repeat for one of several",
  },
  group: {
    schema: { type: "string" },
    description: "In this group or one under it; repeat for one of several",
  },
  names: {
    schema: { type: "string", enum: ["exact", "safe"], default: "exact" },
    description: "Groups by their names, or by names of nothing but letters, digits and _",
  },
  port: {
    schema: { type: "integer", minimum: 1, maximum: 65_535 },
    description: "Where to ask each host; repeat for several",
  },
  pools: {
    schema: { type: "string", enum: ["none", "range"], default: "none" },
    description: "Nothing but reservations, or all of each network's range",
  },
  ns: {
    schema: { type: "string" },
    description: "The full name of a name server, the primary first; repeat for several",
  },
  contact: {
    schema: { type: "string" },
    description: "The mail address of whoever answers for the zone",
  },
  ttl: {
    schema: { type: "integer", minimum: 0, maximum: 604_800, default: 3_600 },
    description: "For how many seconds answers hold",
  },
};

export function parametersOf({ params }: Feed) {
  const names = [...params, "since"];
  return {
    parameters: names.map((name) => ({
      name,
      in: "query" as const,
      required: false,
      schema: {},
      description: "",
      ...MEANINGS[name],
    })),
  };
}
