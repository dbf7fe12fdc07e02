// A server that starts jobs, as a file of requests and answers: it answers only the next request of a conversation, and only
// if method, path, headers and body are those of the file.
import { join } from "node:path";
import { onTeardown } from "./teardown.ts";

interface Exchange {
  request: {
    method: string;
    path: string;
    /** Those that differ from the ones of the file; null for one that must be missing. */
    headers?: Record<string, string | null>;
    /** JSON, or the text itself. */
    body?: unknown;
  };
  answer: {
    status: number;
    headers?: Record<string, string>;
    /** JSON, or the names of bodies that are merged, and what differs from them. */
    body?: object | string[];
    with?: object;
    text?: string;
  };
}

interface ExchangeFile {
  about: string;
  /** Of every request. */
  headers: Record<string, string | null>;
  bodies: Record<string, object>;
  conversations: Record<string, Exchange[]>;
}

export function exchangeFile(product: string): Promise<ExchangeFile> {
  return Bun.file(join(import.meta.dir, "..", "events", "exchanges", `${product}.json`)).json();
}

export interface Conversation {
  url: string;
  /** What is left of it, and each request that was not the next one. */
  end(): { left: Exchange[]; unexpected: unknown[] };
}

export async function conversationOf(product: string, name: string): Promise<Conversation> {
  const { headers, bodies, conversations } = await exchangeFile(product);
  const left = [...(conversations[name] ?? [])];
  if (left.length === 0) throw new Error(`There is no conversation '${name}' with ${product}`);
  const unexpected: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (given) => {
      const [next] = left;
      const wanted = next && { ...next.request, headers: { ...headers, ...next.request.headers } };
      const received = await requestIn(given, wanted?.headers ?? headers);
      if (!next || !Bun.deepEquals(received, { body: undefined, ...wanted })) {
        unexpected.push({ received, wanted });
        return new Response("This is not the next request", { status: 400 });
      }
      left.shift();
      return responseOf(next.answer, bodies);
    },
  });
  onTeardown(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, end: () => ({ left, unexpected }) };
}

async function requestIn(request: Request, headers: Record<string, unknown>) {
  const { pathname, search } = new URL(request.url);
  const text = await request.text();
  const isJson = request.headers.get("content-type") === "application/json";
  return {
    method: request.method,
    path: pathname + search,
    headers: Object.fromEntries(
      Object.keys(headers).map((name) => [name, request.headers.get(name)]),
    ),
    body: text === "" ? undefined : isJson ? JSON.parse(text) : text,
  };
}

function responseOf(
  { status, headers, body, text, ...answer }: Exchange["answer"],
  bodies: object,
) {
  if (body === undefined)
    return new Response(text ?? null, { status, ...(headers && { headers }) });
  const named = new Map<string, object>(Object.entries(bodies));
  const merged = Array.isArray(body)
    ? Object.assign({}, ...body.map((name) => named.get(name)))
    : body;
  return Response.json({ ...merged, ...answer.with }, { status, ...(headers && { headers }) });
}
