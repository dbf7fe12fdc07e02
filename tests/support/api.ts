// Calls the API over HTTP, as a program does.
import { resolved } from "../../src/api/openapi.ts";
import { type Person, stranger } from "./cast.ts";
import { difference, type Reference } from "./contract.ts";
import { service, tokenOf } from "./service.ts";

/** One of the cast, the holder of a token, or a client without one. */
type Client = Person | { token: string } | typeof stranger;

export interface Answer {
  status: number;
  body: any;
  text: string;
  headers: Headers;
  /** Of the errors of a refusal. */
  codes?: string[];
}

interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown;
}

const ROOT = "/api/v1";

/** The API for one client, optionally at another origin. */
export function api(client: Client, origin?: string) {
  const send = (method: string, path: string, given: RequestOptions = {}) =>
    request(client, { ...given, method, path, origin });
  return {
    send,
    get: (path: string, given?: RequestOptions) => send("GET", path, given),
    post: (path: string, body?: unknown, given?: RequestOptions) =>
      send("POST", path, { body, ...given }),
    put: (path: string, body?: unknown, given?: RequestOptions) =>
      send("PUT", path, { body, ...given }),
    patch: (path: string, body?: unknown, given?: RequestOptions) =>
      send("PATCH", path, { body, ...given }),
    delete: (path: string, given?: RequestOptions) => send("DELETE", path, given),
  };
}

/** Requests any path, also outside of the API, without comparing the response with the reference. */
export async function visit(path: string, options: RequestInit = {}): Promise<Answer> {
  const { origin } = await service();
  const response = await fetch(path.startsWith("/") ? origin + path : path, {
    redirect: "manual",
    ...options,
  });
  const { status, headers } = response;
  const isStream = headers.get("content-type") === "text/event-stream";
  // It has no end.
  const text = isStream ? "" : await response.text();
  if (isStream) await response.body?.cancel();
  const isLines = headers.get("content-type")?.startsWith("application/x-ndjson");
  return { status, headers, text, body: isLines ? lines(text) : parsed(text) };
}

interface ApiRequest extends RequestOptions {
  method: string;
  path: string;
  origin?: string;
}

async function request(client: Client, options: ApiRequest): Promise<Answer> {
  const { method, path, body } = options;
  const origin = options.origin ?? (await service()).origin;
  const url = new URL(origin + ROOT + path);
  const answer = await visit(url.href, {
    method,
    headers: {
      ...(await authorization(client)),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    body: bodyOf(body),
  });
  const error = difference(await reference(), { method, url, answer });
  if (error) throw new Error(`${method} ${path} is not as the reference says: ${error}`);
  return withoutCodes(answer);
}

/** Most tests are about the sentences of errors; those of the codes have them apart. */
export function withoutCodes<Of extends { body: any }>(answer: Of): Of {
  if (!Array.isArray(answer.body?.errors)) return answer;
  const errors = answer.body.errors.map(({ code, ...error }: { code: string }) => error);
  const codes = answer.body.errors.map(({ code }: { code: string }) => code);
  return { ...answer, codes, body: { ...answer.body, errors } };
}

async function authorization(client: Client): Promise<Record<string, string>> {
  if (client === stranger) return {};
  const token =
    typeof client === "object" && "token" in client ? client.token : await tokenOf(client);
  return { authorization: `Bearer ${token}` };
}

function bodyOf(body: unknown): BodyInit | undefined {
  if (body === undefined) return undefined;
  const isRaw =
    typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return isRaw ? (body as BodyInit) : JSON.stringify(body);
}

/** NDJSON as an array, which is how the reference describes it. */
function lines(text: string): unknown[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [parsed(line)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let cachedReference: Promise<Reference> | undefined;

/** The OpenAPI document, requested once. */
export function reference(): Promise<Reference> {
  cachedReference ??= visit(`${ROOT}/openapi.json`).then(({ body }) => resolved(body) as never);
  return cachedReference;
}
