// The HTTP server around the app: checks the host name, finds the address of the client, sets common headers,
// and logs one line per request.
import http from "node:http";
import type { Server } from "bun";
import type { Config } from "../config.ts";
import { publicId } from "../input/change_ids.ts";
import { Refusal } from "../input/errors.ts";
import {
  LARGEST_HEAD,
  LARGEST_REQUEST,
  LONGEST_ARRIVAL,
  LONGEST_SILENCE,
} from "../input/limits.ts";
import * as log from "../monitoring/log.ts";
import * as metrics from "../monitoring/metrics.ts";
import { watchForProxy } from "../monitoring/proxy_watch.ts";
import { isDraining } from "../monitoring/readiness.ts";
import * as answer from "./answers.ts";
import { hasUnreadBody, releaseBody } from "./request_body.ts";
import { type RequestContext, setContext } from "./request_context.ts";

export type Handler = (request: Request) => Response | Promise<Response>;
type ServerSettings = Pick<Config, "publicUrl" | "trustProxy">;
/** Address and port; workers share the port. `idleTimeout`: instead of LONGEST_SILENCE. */
type ListenOptions = Config & { sharesPort?: boolean; idleTimeout?: number };

/** The server cannot listen; the message says why and what to do. */
export class CannotListen extends Error {}

export function listen(settings: ListenOptions, handle: Handler): Server<undefined> {
  try {
    return serve(settings, handle);
  } catch (error) {
    throw new CannotListen(listenError(settings, error));
  }
}

function serve(settings: ListenOptions, handle: Handler): Server<undefined> {
  // Bun.serve has no such option, but uses this one (https://github.com/oven-sh/bun/issues/10525).
  Object.assign(http, { maxHeaderSize: LARGEST_HEAD });
  const checkForProxy = watchForProxy(settings);
  const silence = settings.idleTimeout ?? LONGEST_SILENCE;
  const arrival = Math.min(silence, LONGEST_ARRIVAL);
  return Bun.serve({
    hostname: settings.host,
    port: settings.port,
    reusePort: settings.sharesPort ?? false,
    maxRequestBodySize: LARGEST_REQUEST,
    // Traffic that is slower than 16 KiB a second does not count, and none before the end of the headers. Bun looks each
    // four seconds, and gives the first headers of a connection twelve.
    idleTimeout: arrival,
    fetch: (request, server) => {
      const peer = server.requestIP(request)?.address ?? "";
      checkForProxy(request, peer);
      const setTimeout = (seconds = silence) => server.timeout(request, seconds);
      if (!request.body) setTimeout();
      return receive(request, { settings, handle, peer, setTimeout });
    },
    error: (error) => {
      log.error("A request failed outside of the app", error);
      return answer.problem(answer.refusalOf(error), crypto.randomUUID());
    },
  });
}

function listenError({ host, port }: Config, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is taken: stop what listens there, or set another PORT`;
  }
  if (code === "EACCES") return `Port ${port} is not for this user: set a PORT above 1023`;
  return `Nothing can listen on ${host}: set HOST to an address of this machine`;
}

interface ReceiveOptions {
  settings: ServerSettings;
  handle: Handler;
  peer: string;
  setTimeout: NonNullable<RequestContext["setTimeout"]>;
}

async function receive(
  received: Request,
  { settings, handle, peer, setTimeout }: ReceiveOptions,
): Promise<Response> {
  const request = withUrl(received);
  const context = createContext(request, { settings, peer, setTimeout });
  const response = isMisdirected(request, settings)
    ? answer.problem(new Refusal(421, "This host name is not served here"), context.id)
    : await runHandler(withRoutableUrl(request, context), handle).finally(() =>
        releaseBody(context),
      );
  const seconds = (performance.now() - context.started) / 1000;
  logRequest(request, context, { status: response.status, seconds });
  // On a persistent connection the next request would be lost, or the rest of this body would be read as one.
  if ((await hasUnreadBody(request)) || isDraining()) response.headers.set("connection", "close");
  // For the headers of the next request.
  if (!context.caller) setTimeout(LONGEST_ARRIVAL);
  return setCommonHeaders(response, context);
}

async function runHandler(request: Request, handle: Handler): Promise<Response> {
  return handle(request);
}

function createContext(
  request: Request,
  { settings, peer, setTimeout }: Omit<ReceiveOptions, "handle">,
): RequestContext {
  const scheme = forwarded(request, settings, "proto") === "https" ? "https" : "http";
  const context = {
    id: requestId(request),
    address: forwarded(request, settings, "for") ?? peer,
    origin: settings.publicUrl?.origin ?? `${scheme}://${hostOf(request, settings)}`,
    isOriginSet: settings.publicUrl !== undefined,
    started: performance.now(),
    setTimeout,
  };
  setContext(request, context);
  return context;
}

// With PUBLIC_URL set, a request for another name comes from a foreign DNS entry. Monitoring uses the IP address,
// so it is answered under any name. An invalid name must not get into a link either.
function isMisdirected(request: Request, settings: ServerSettings): boolean {
  const host = hostOf(request, settings);
  const url = URL.parse(request.url);
  if (!url || !/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return true;
  const { publicUrl } = settings;
  if (!publicUrl || MONITORING.test(url.pathname)) return false;
  return host.toLowerCase() !== publicUrl.host;
}

const MONITORING = /^\/(health(\/.*)?|metrics\/?)$/;
const PATH = /^(?:https?:\/\/[^/]*)?(\/[^?#]*)/;

// Load balancers check the health by HTTP/1.0 without a host name; the URL of the request is then invalid.
function withUrl(request: Request): Request {
  const path = PATH.exec(request.url)?.[1] ?? "";
  if (URL.canParse(request.url) || request.method !== "GET" || !MONITORING.test(path)) {
    return request;
  }
  const headers = new Headers(request.headers);
  headers.delete("host");
  return new Request(`http://localhost${path}`, { headers });
}

function hostOf(request: Request, settings: ServerSettings): string {
  return forwarded(request, settings, "host") ?? request.headers.get("host") ?? "localhost";
}

/** The value that the last proxy has added, if proxies are trusted. */
function forwarded(
  request: Request,
  { trustProxy }: ServerSettings,
  name: string,
): string | undefined {
  const header = trustProxy ? request.headers.get(`x-forwarded-${name}`) : null;
  return header?.split(",").at(-1)?.trim();
}

// Elysia 1.4.30 looks for the path from the eleventh character of the URL: it misses it after a host name of
// three letters (elysia: utils.mjs).
function withRoutableUrl(request: Request, context: RequestContext): Request {
  if (request.url.indexOf("/", 11) === request.url.indexOf("/", 8)) return request;
  const url = new URL(request.url);
  url.hostname = "localhost";
  const same = new Request(url, request);
  setContext(same, context);
  return same;
}

function requestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.:-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function logRequest(
  request: Request,
  context: RequestContext,
  { status, seconds }: { status: number; seconds: number },
): void {
  const { method } = request;
  const route = context.route ?? "none";
  metrics.countRequest({ method: METHODS.has(method) ? method : "OTHER", route, status, seconds });
  log.info("request", {
    id: context.id,
    method,
    path: URL.parse(request.url)?.pathname,
    route,
    status,
    ms: Math.round(seconds * 100_000) / 100,
    user: context.caller?.username,
    address: context.address,
  });
}

const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

// The headers of every response.

const ALWAYS: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  // Other sites get no referrer. Under "no-referrer", browsers send our own forms with "Origin: null", and without
  // TLS no other header: nobody could log in.
  "referrer-policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};
const YEAR = "max-age=31536000";
/** For answers that are not pages: no scripts, no framing. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'";

function setCommonHeaders(
  response: Response,
  context: { id: string; origin: string; changeSet?: number; warning?: string },
): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  headers.set("X-Request-Id", context.id);
  if (context.changeSet !== undefined) headers.set("Change-Set", publicId(context.changeSet));
  if (context.warning !== undefined) headers.set("Warning", `299 - "${context.warning}"`);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", NOTHING);
  if (context.origin.startsWith("https:")) headers.set("strict-transport-security", YEAR);
  return response;
}
