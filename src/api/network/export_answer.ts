import type { Caller } from "../../auth/auth.ts";
import { ENCODINGS, preferredEncoding } from "../../http/encoding.ts";
import { answerFeed, type Feed } from "../../network/feeds/mod.ts";

export interface FeedRouteContext {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

/** The response of a route that answers plain text, for OpenAPI. */
export const TEXT = { 200: { description: "Text", content: { "text/plain": { schema: {} } } } };

/** Clients cache it and revalidate it: it is usually unchanged. */
const REVALIDATE = { "cache-control": "private, no-cache", vary: "authorization, accept-encoding" };

export async function answerOf(
  feed: Feed,
  { request, caller, search }: FeedRouteContext,
): Promise<Response> {
  const { etag, body } = await answerFeed(caller, feed, {
    params: search,
    ifNoneMatch: request.headers.get("if-none-match"),
    encoding: preferredEncoding(request.headers.get("accept-encoding"), ENCODINGS),
  });
  // Weak: the bytes differ by their encoding.
  const headers = { ...REVALIDATE, etag: `W/${etag}` };
  if (body === undefined) return new Response(null, { status: 304, headers });
  const { content, encoding } = body;
  return new Response(content, {
    headers: {
      ...headers,
      "content-type": `${feed.type}; charset=utf-8`,
      ...(encoding && { "content-encoding": encoding }),
    },
  });
}
