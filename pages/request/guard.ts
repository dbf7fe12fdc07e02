// Guards the pages: checks the session, the permission and the origin of a form, in this order, before any
// record is read.
import { Elysia } from "elysia";
import {
  type Allowed,
  type Caller,
  identify,
  identifyIdleSession,
  identifySession,
  permit,
} from "../../src/auth/auth.ts";
import { type Reach, requireAddress, requireReach } from "../../src/auth/token_limits.ts";
import { readForm } from "../../src/http/form_body.ts";
import { contextOf, visitOf } from "../../src/http/request_context.ts";
import { notFound, unauthenticated } from "../../src/input/errors.ts";
import { readSettings, withColumns } from "../lists/settings.ts";
import { sessionOf } from "./cookies.ts";
import { requireOurSite } from "./form_values.ts";
import { isLive } from "./live.ts";

interface GuardContext {
  request: Request;
  route: string;
  body: unknown;
  params?: Record<string, string | null>;
  caller?: Caller;
}

export const guard = new Elysia({ name: "page guard" }).macro({
  /** Who may open this page. Every page states it. */
  see: (allowed: Allowed) => guardFor(allowed, callerOf),
  /** The same for a stream that a page opens by itself: it is no activity of the person. */
  listen: (allowed: Allowed) => guardFor(allowed, idleCallerOf),
  /** The same for data that programs also fetch with an API token, with what it contains. */
  fetch: ({ allowed, reach }: { allowed: Allowed; reach: ReachOfPage }) =>
    guardFor(allowed, callerByTokenOrSession, reach),
});

/** What the page contains; of some pages it depends on the address. */
type ReachOfPage = Reach | ((search: URLSearchParams) => Reach);

function guardFor(
  allowed: Allowed,
  recognise: typeof callerOf,
  reach: ReachOfPage = { kinds: [] },
) {
  return {
    // The caller is identified before the body is read.
    parse: () => null,
    transform: async (context: GuardContext) => {
      const { request, route } = context;
      const visit = contextOf(request);
      visit.route = route;
      const caller = await recognise(request);
      if (!caller) throw unauthenticated("Log in first");
      visit.caller = caller;
      const writes = request.method === "POST";
      requireToken(caller, reach, { writes, url: request.url });
      if (writes) requireOurSite(request);
      permit(caller, allowed, writes);
      if (!isDecoded(context.params)) throw notFound();
      if (writes) context.body = await readForm(request);
      context.caller = writes ? { ...caller, options: optionsOf(context) } : caller;
      await readSettings(request, caller);
    },
    resolve: (context: GuardContext) => ({
      caller: context.caller as Caller,
      form: context.body instanceof FormData ? context.body : new FormData(),
      search: withColumns(context.request, queryOf(context.request)),
    }),
  };
}

function requireToken(
  caller: Caller,
  reach: ReachOfPage,
  sent: { writes: boolean; url: string },
): void {
  if (!caller.token) return;
  requireAddress(caller);
  const actual = typeof reach === "function" ? reach(new URL(sent.url).searchParams) : reach;
  requireReach(caller, actual, sent);
}

// Elysia gives null for a part of the path that is no UTF-8.
function isDecoded(params: GuardContext["params"] = {}): boolean {
  return !Object.values(params).includes(null);
}

/** By the token if one is sent: a cookie does not replace an invalid token. */
async function callerByTokenOrSession(request: Request): Promise<Caller | undefined> {
  const header = request.headers.get("authorization");
  return header === null ? callerOf(request) : identify(header, visitOf(request));
}

/** A page that asks for a part again, because others changed it, does not keep the session alive. */
export async function callerOf(request: Request): Promise<Caller | undefined> {
  if (isLive(request)) return idleCallerOf(request);
  const session = sessionOf(request);
  return session ? identifySession(session, visitOf(request)) : undefined;
}

async function idleCallerOf(request: Request): Promise<Caller | undefined> {
  const session = sessionOf(request);
  return session ? identifyIdleSession(session, visitOf(request)) : undefined;
}

// An edit form contains the version of the record that it shows.
function optionsOf({ request, body }: GuardContext) {
  const version = body instanceof FormData ? body.get("version") : null;
  const if_match = typeof version === "string" && version !== "" ? `"v${version}"` : null;
  const force = body instanceof FormData && body.getAll("force").at(-1) === "true";
  const onCommit = (changeSet: number) => {
    contextOf(request).changeSet = changeSet;
  };
  return { dry_run: false, force, if_match, onCommit };
}

/** The query of the URL without empty fields. */
function queryOf(request: Request): URLSearchParams {
  const all = new URL(request.url).searchParams;
  return new URLSearchParams([...all].filter(([, value]) => value !== ""));
}
