// The way into the pages: a session, the permission, and a form that came from our own site - in
// this order, before anything is looked up.
import { Elysia } from "elysia";
import {
  type Allowed,
  type Caller,
  identify,
  identifySession,
  permit,
} from "../../src/auth/auth.ts";
import { contextOf } from "../../src/http/request_context.ts";
import { notFound, unauthenticated } from "../../src/input/errors.ts";
import { readSettings, withColumns } from "../lists/settings.ts";
import { sessionOf } from "./cookies.ts";
import { readForm } from "./form_body.ts";
import { requireOurSite } from "./form_values.ts";

interface Entering {
  request: Request;
  route: string;
  body: unknown;
  params?: Record<string, string | null>;
  caller?: Caller;
}

export const guard = new Elysia({ name: "page guard" }).macro({
  /** Who may open this page. Every page has to name it. */
  see: (allowed: Allowed) => entrance(allowed, callerOf),
  /** The same of what programs fetch with a token of the API as well. */
  fetch: (allowed: Allowed) => entrance(allowed, callerOrHolder),
});

function entrance(allowed: Allowed, recognise: typeof callerOf) {
  return {
    // The caller is identified before the body is read.
    parse: () => null,
    transform: async (entering: Entering) => {
      const { request, route } = entering;
      const visit = contextOf(request);
      visit.route = route;
      const caller = await recognise(request);
      if (!caller) throw unauthenticated("Log in first");
      visit.caller = caller;
      const writes = request.method === "POST";
      if (writes) requireOurSite(request);
      permit(caller, allowed, writes);
      if (!isNamed(entering.params)) throw notFound();
      if (writes) entering.body = await readForm(request);
      entering.caller = writes ? { ...caller, options: wishesOf(entering) } : caller;
      await readSettings(request, caller);
    },
    resolve: (entering: Entering) => ({
      caller: entering.caller as Caller,
      form: entering.body instanceof FormData ? entering.body : new FormData(),
      search: withColumns(entering.request, asked(entering.request)),
    }),
  };
}

// Elysia gives null for a part of the path that is no UTF-8.
function isNamed(params: Entering["params"] = {}): boolean {
  return !Object.values(params).includes(null);
}

/** By a token, where one is shown: a bad one is not made good by a cookie. */
async function callerOrHolder(request: Request): Promise<Caller | undefined> {
  const shown = request.headers.get("authorization");
  return shown === null ? callerOf(request) : identify(shown);
}

export async function callerOf(request: Request): Promise<Caller | undefined> {
  const session = sessionOf(request);
  return session ? identifySession(session) : undefined;
}

// A form that was filled in from a record carries the version that it was filled from.
function wishesOf({ request, body }: Entering) {
  const version = body instanceof FormData ? body.get("version") : null;
  const if_match = typeof version === "string" && version !== "" ? `"v${version}"` : null;
  const force = body instanceof FormData && body.getAll("force").at(-1) === "true";
  return { request_id: contextOf(request).id, dry_run: false, force, if_match };
}

/** The query of a page, without the fields that a form left empty. */
function asked(request: Request): URLSearchParams {
  const all = new URL(request.url).searchParams;
  return new URLSearchParams([...all].filter(([, value]) => value !== ""));
}
