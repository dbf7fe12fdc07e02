import type { Caller } from "../../auth/auth.ts";
import { inOnePiece } from "../../http/single_chunk.ts";
import { answerFeed, type Feed } from "../../network/feeds/mod.ts";

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
  const { etag, text } = await answerFeed(caller, feed, { params: search, ifNoneMatch: known });
  const headers = { ...REVALIDATE, etag };
  if (text === undefined) return new Response(null, { status: 304, headers });
  return new Response(inOnePiece(text), {
    headers: { ...headers, "content-type": `${feed.type}; charset=utf-8` },
  });
}
