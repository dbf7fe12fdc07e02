// The responses of the API.
import { DatabaseUnavailable, mayRunAgain, QueryRejected } from "../../db/errors.ts";
import { REQUEST_CODES } from "../input/error_codes.ts";
import {
  codeOfField,
  onlyReads,
  Refusal,
  refuse,
  shownError,
  unavailable,
} from "../input/errors.ts";
import { links, linksBy } from "../store/paging.ts";
import type { ListJson, RecordJson } from "../store/records.ts";
import { withParts } from "../store/site/definitions.ts";
import { fieldsIn, fileOf, formatOf } from "./list_files.ts";
import { contextOf } from "./request_context.ts";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
/** Clients may cache it, but revalidate each time. */
const REVALIDATE = { "cache-control": "private, no-cache", vary: "authorization" };

const TITLES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export function list(request: Request, listed: ListJson): Response | Promise<Response> {
  const format = formatOf(request);
  if (format && listed.whole) return fileOf(request, listed, format);
  const etag = `"${Bun.hash(`${listed.total} ${listed.json}`).toString(36)}"`;
  const url = new URL(request.url);
  const address = contextOf(request).origin + url.pathname;
  const { params, cursors } = listed;
  const link = cursors ? linksBy(address, params, cursors) : links(address, params, listed);
  return unlessUnchanged(request, withFields(listed.json, params, listed.names), {
    etag,
    ...(listed.isCounted && { "X-Total-Count": String(listed.total) }),
    ...(link === undefined ? { "X-Link-Omitted": "true" } : { link }),
  });
}

interface RecordFeed {
  /** A JSON array. */
  json: string;
  /** For each relation of the Link header: the parameters that its URL changes. */
  links: Record<string, Record<string, string | null>>;
  total?: number | undefined;
}

/** A list that continues after the last record that the client has, instead of by page numbers. */
export function feed(request: Request, { json, links: relations, total }: RecordFeed): Response {
  const url = new URL(request.url);
  const address = contextOf(request).origin + url.pathname;
  const link = linksBy(address, url.searchParams, relations);
  return unlessUnchanged(request, withFields(json, url.searchParams), {
    etag: `"${Bun.hash(`${link} ${total} ${json}`).toString(36)}"`,
    ...(total !== undefined && { "X-Total-Count": String(total) }),
    ...(link === undefined ? { "X-Link-Omitted": "true" } : { link }),
  });
}

export function record(request: Request, found: RecordJson): Response {
  const json = withFields(found.json, new URL(request.url).searchParams);
  return unlessUnchanged(request, json, { etag: tag(found) });
}

export function changed(found: RecordJson): Response {
  return new Response(found.json, { headers: { ...JSON_TYPE, etag: tag(found) } });
}

export function created(found: RecordJson, location?: string): Response {
  return new Response(found.json, {
    status: 201,
    headers: { ...JSON_TYPE, etag: tag(found), ...(location && { location }) },
  });
}

/** To a request that changes nothing. */
export function same(found: RecordJson): Response {
  return new Response(null, { status: 204, headers: { etag: tag(found) } });
}

export function gone(): Response {
  return new Response(null, { status: 204 });
}

/** The same records with the wanted fields alone. `names` are those that they have, also of an empty list. */
function withFields(json: string, params: URLSearchParams, names?: readonly string[]): string {
  if (!params.has("fields")) return json;
  const found = JSON.parse(json);
  const records: object[] = [found].flat();
  const [first] = records;
  const wanted = fieldsIn(params, names ?? (first && Object.keys(withParts(first)))) ?? [];
  const chosen = records.map((record) =>
    Object.fromEntries(Object.entries(withParts(record)).filter(([name]) => wanted.includes(name))),
  );
  return JSON.stringify(Array.isArray(found) ? chosen : chosen[0]);
}

/** Turns any error into a Refusal; unexpected errors become a 500 without details. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseUnavailable) return error.onlyReads ? onlyReads() : unavailable();
  if (mayRunAgain(error)) return unavailable();
  if (error instanceof QueryRejected && MALFORMED.test(error.code)) {
    return refuse([{ field: "body", message: "A value is out of range or malformed" }]);
  }
  return new Refusal(500, "Internal error; the log has the details under the id of this request");
}

// Errors for values that pass validation: out of range, or not in the encoding.
const MALFORMED = /^(22003|22021|22008|22P02|22P05)$/;

export function problem(refusal: Refusal, requestId: string): Response {
  const { status, message } = refusal;
  const body = {
    status,
    title: TITLES[status] ?? "Error",
    detail: message,
    message,
    code: codeOf(refusal),
    ...(status === 401 ? { msg: message } : {}),
    ...(refusal.errors.length > 0 ? { errors: refusal.errors.map(shownError) } : {}),
    ...syntaxOf(refusal),
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...refusal.headers, "content-type": "application/problem+json" },
  });
}

function syntaxOf({ syntax }: Refusal) {
  if (!syntax) return {};
  const { hint, ...error } = syntax;
  return { error, ...(hint !== undefined && { hint }) };
}

/** That of its fields, if they have one code. */
function codeOf({ status, errors }: Refusal): string {
  const [own, ...others] = new Set(errors.map(codeOfField));
  if (own && others.length === 0) return own;
  return REQUEST_CODES[status]?.[0] ?? "not_valid";
}

export function statusTitle(status: number): string {
  return TITLES[status] ?? "Error";
}

// If-Match compares the version only. If-None-Match needs the hash too: the same version may have other content.
function tag(found: RecordJson): string {
  return `"v${found.version}.${Bun.hash(found.json).toString(36)}"`;
}

function unlessUnchanged(
  request: Request,
  json: string,
  headers: Record<string, string> & { etag: string },
): Response {
  const known = request.method === "POST" ? null : request.headers.get("if-none-match");
  if (known && (known === "*" || known.includes(headers.etag))) {
    return new Response(null, { status: 304, headers: { ...REVALIDATE, ...headers } });
  }
  return new Response(json, { headers: { ...JSON_TYPE, ...REVALIDATE, ...headers } });
}
