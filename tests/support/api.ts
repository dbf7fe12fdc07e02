// The front door of the API, as a program uses it.
import { type Person, stranger } from "./cast.ts";
import { difference, type Reference } from "./contract.ts";
import { service, tokenOf } from "./service.ts";

/** Somebody of the cast, the holder of a token, or nobody that we know. */
type Asker = Person | { token: string } | typeof stranger;

export interface Answer {
  status: number;
  body: any;
  text: string;
  headers: Headers;
}

interface Given {
  headers?: Record<string, string>;
  /** JSON, unless it is text or bytes, which go out as they are. */
  body?: unknown;
}

const ROOT = "/api/v1";

/** Who asks, and at which door when it is not the usual one. */
export function api(asker: Asker, origin?: string) {
  const send = (method: string, path: string, given: Given = {}) =>
    ask(asker, { ...given, method, path, origin });
  return {
    send,
    get: (path: string, given?: Given) => send("GET", path, given),
    post: (path: string, body?: unknown, given?: Given) => send("POST", path, { body, ...given }),
    patch: (path: string, body?: unknown, given?: Given) => send("PATCH", path, { body, ...given }),
    delete: (path: string, given?: Given) => send("DELETE", path, given),
  };
}

/** Any path, outside of the API too; what it answers is held against nothing. */
export async function visit(path: string, options: RequestInit = {}): Promise<Answer> {
  const { origin } = await service();
  const response = await fetch(path.startsWith("/") ? origin + path : path, {
    redirect: "manual",
    ...options,
  });
  const text = await response.text();
  const { status, headers } = response;
  const isLines = headers.get("content-type")?.startsWith("application/x-ndjson");
  return { status, headers, text, body: isLines ? lines(text) : parsed(text) };
}

interface Question extends Given {
  method: string;
  path: string;
  origin?: string;
}

async function ask(asker: Asker, question: Question): Promise<Answer> {
  const { method, path, body } = question;
  const origin = question.origin ?? (await service()).origin;
  const url = new URL(origin + ROOT + path);
  const answer = await visit(url.href, {
    method,
    headers: {
      ...(await authorization(asker)),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...question.headers,
    },
    body: bodyOf(body),
  });
  const fault = difference(await reference(), { method, url, answer });
  if (fault) throw new Error(`${method} ${path} is not as the reference says: ${fault}`);
  return answer;
}

async function authorization(asker: Asker): Promise<Record<string, string>> {
  if (asker === stranger) return {};
  const token = typeof asker === "object" && "token" in asker ? asker.token : await tokenOf(asker);
  return { authorization: `Bearer ${token}` };
}

function bodyOf(body: unknown): BodyInit | undefined {
  if (body === undefined) return undefined;
  const isRaw =
    typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return isRaw ? (body as BodyInit) : JSON.stringify(body);
}

/** The reference tells of such a body as of an array. */
function lines(text: string): unknown[] {
  return text.trimEnd().split("\n").map(parsed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let told: Promise<Reference> | undefined;

/** The reference, which is the same all day. */
export function reference(): Promise<Reference> {
  told ??= visit(`${ROOT}/openapi.json`).then(({ body }) => body);
  return told;
}
