// All routes of the service, and how errors become answers.
import { Elysia, ValidationError } from "elysia";
import { errorPage } from "../pages/error.tsx";
import { pages } from "../pages/mod.ts";
import { apiReference } from "../pages/reference.tsx";
import { health } from "./api/health.ts";
import { api } from "./api/mod.ts";
import { document, openapi, resolved } from "./api/openapi.ts";
import { addLimited } from "./auth/audit_limits.ts";
import * as answer from "./http/answers.ts";
import { refusalOfAddress } from "./http/request_body.ts";
import { contextOf } from "./http/request_context.ts";
import type { Handler } from "./http/server.ts";
import { notFound, Refusal, refuse } from "./input/errors.ts";
import { fieldErrors } from "./input/shape.ts";
import * as log from "./monitoring/log.ts";

export const app = new Elysia({ normalize: false })
  .onError(({ request, error }) => refuseWith(request, error))
  .use(api)
  .use(openapi)
  .use(apiReference(() => resolved(document())))
  .use(health)
  .use(pages);

export const handle: Handler = (request) => {
  const refusal = refusalOfAddress(request);
  return refusal ? refuseWith(request, refusal) : app.fetch(request);
};

async function refuseWith(request: Request, error: unknown): Promise<Response> {
  const visit = contextOf(request);
  const refusal = refusalOf(request, error);
  if (refusal.status === 403) await noteRefusal(request, refusal);
  if (refusal.status === 500)
    log.error("A request failed", error, { id: visit.id, route: visit.route });
  const { pathname } = new URL(request.url);
  return /^\/(api|health|metrics)\b/.test(pathname)
    ? answer.problem(refusal, visit.id)
    : errorPage(request, refusal);
}

/** In the audit log. The pattern of the route and not its path, which may name a record. */
async function noteRefusal(request: Request, { message }: Refusal): Promise<void> {
  const { caller, route = "", address, id } = contextOf(request);
  const { method } = request;
  const { kind, id: token } = caller?.credential ?? {};
  await addLimited({
    event: "access.refused",
    user_id: caller?.id ?? null,
    username: caller?.username,
    address,
    request_id: id,
    details: { method, route, reason: message, ...(kind === "personal" && token && { token }) },
  }).catch((error) => log.warn("A refusal is not in the audit log", { id, error: String(error) }));
}

function refusalOf(request: Request, error: unknown): Refusal {
  if (error instanceof ValidationError) {
    if (error.type === "params") return notFound();
    if (error.type === "body") return refuse(fieldErrors(error.all));
  }
  if (isCode(error, "NOT_FOUND")) return noSuchRoute(request);
  return answer.refusalOf(error);
}

function noSuchRoute(request: Request): Refusal {
  const allowed = methodsOf(new URL(request.url).pathname);
  if (allowed.length === 0) return notFound();
  return new Refusal(405, `Use ${allowed.join(" or ")} here`, {
    headers: { allow: allowed.join(", ") },
  });
}

let patterns: Array<{ method: string; pattern: RegExp }> | undefined;

function methodsOf(pathname: string): string[] {
  patterns ??= app.routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(
      `^${path
        .replace(/\/$/, "")
        .replace(/:[^/]+/g, "[^/]+")
        .replace(/\*$/, ".*")}/?$`,
    ),
  }));
  const methods = patterns
    .filter(({ pattern }) => pattern.test(pathname))
    .map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))];
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
