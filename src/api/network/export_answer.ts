import type { Caller } from "../../auth/auth.ts";
import { asSingleChunk } from "../../http/single_chunk.ts";
import { answerFeed, type Feed } from "../../network/feeds/mod.ts";

export interface FeedRouteContext {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

/** The response of a route that answers plain text, for OpenAPI. */
export const TEXT = { 200: { description: "Text", content: { "text/plain": { schema: {} } } } };

/** Clients cache it and revalidate it: it is usually unchanged. */
const REVALIDATE = { "cache-control": "private, no-cache", vary: "authorization" };

export async function answerOf(
  feed: Feed,
  { request, caller, search }: FeedRouteContext,
): Promise<Response> {
  const known = request.headers.get("if-none-match");
  const { etag, body } = await answerFeed(caller, feed, { params: search, ifNoneMatch: known });
  const headers = { ...REVALIDATE, etag };
  if (body === undefined) return new Response(null, { status: 304, headers });
  return new Response(body instanceof Blob ? body : asSingleChunk(body), {
    headers: { ...headers, "content-type": `${feed.type}; charset=utf-8` },
  });
}
