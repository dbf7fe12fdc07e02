import type { VNode } from "preact";
import * as answer from "../src/http/answers.ts";
import { statusTitle } from "../src/http/answers.ts";
import { contextOf } from "../src/http/request_context.ts";
import type { Refusal } from "../src/input/errors.ts";
import { decoded } from "../src/input/text.ts";
import { fragment, isHtmx, page, redirect } from "./layout/page.tsx";
import { EmptyPicture } from "./lists/empty_picture.tsx";
import { callerOf } from "./request/guard.ts";
import { inTitle } from "./texts.ts";

/** The answer to a refusal: a page, which may have another sentence, a fragment for htmx, or JSON for a program. */
export async function errorPage(
  request: Request,
  refusal: Refusal,
  sentence?: VNode,
): Promise<Response> {
  if (refusal.status === 401 && isNavigation(request)) return redirect(request, loginPath(request));
  if (isHtmx(request)) return forHtmx(request, refusal);
  if (isForProgram(request)) return answer.problem(refusal, contextOf(request).id);
  await recogniseCaller(request);
  return page(request, {
    title: headingOf(refusal),
    kind: "error",
    status: refusal.status,
    headers: refusal.headers,
    body: <ErrorBody refusal={refusal} request={request} sentence={sentence} />,
  });
}

interface ErrorProps {
  refusal: Refusal;
  request: Request;
  sentence: VNode | undefined;
}

function ErrorBody({ refusal, request, sentence }: ErrorProps) {
  const wanted = refusal.status === 404 ? wantedName(request) : undefined;
  return (
    <>
      <EmptyPicture icon={refusal.status === 404 ? "search" : "alert-triangle"} />
      <p class="code">{refusal.status}</p>
      <h1>{headingOf(refusal)}</h1>
      {sentence ?? <p>{refusal.message}</p>}
      <p class="buttons">
        <a class="button primary" href="/">
          Home
        </a>
        {wanted !== undefined && (
          <a class="button" href={`/?${new URLSearchParams({ q: wanted })}`}>
            Search for "{wanted}"
          </a>
        )}
        {refusal.status === 422 && (
          <a class="button" href={new URL(request.url).pathname}>
            Clear filters
          </a>
        )}
      </p>
      {refusal.status >= 500 && <p class="muted">Request id {contextOf(request).id}</p>}
    </>
  );
}

/** What the address of a record ends in: the search finds what is called so elsewhere, or nearly so. */
function wantedName(request: Request): string | undefined {
  const [, name = ""] =
    /\/(?:view|attributes\/\w+)\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
  return (contextOf(request).caller && decoded(name)) || undefined;
}

/** The title of the status, as a heading is written: Not found. */
function headingOf({ status }: Refusal): string {
  return inTitle(statusTitle(status).toLowerCase());
}

// htmx follows redirects and would insert the login page into a table; this header makes it navigate.
function forHtmx(request: Request, refusal: Refusal): Response {
  if (refusal.status === 401) {
    return new Response(null, {
      status: 401,
      headers: { ...refusal.headers, "hx-redirect": loginPath(request) },
    });
  }
  return fragment(request, <p class="note bad">{refusal.message}</p>, {
    status: refusal.status,
    headers: { ...refusal.headers, "hx-retarget": "#alerts", "hx-reswap": "innerHTML" },
  });
}

/** A user opens a page; not a script that requests a fragment or JSON. */
function isNavigation(request: Request): boolean {
  return !isHtmx(request) && !isForProgram(request);
}

function isForProgram(request: Request): boolean {
  const accepted = request.headers.get("accept") ?? "";
  const wantsJson = accepted.includes("json") && !accepted.includes("html");
  return wantsJson || (isDataPath(request) && !accepted.includes("html"));
}

/** Paths such as /inventory/_retrieve_items, /status/1 and /live answer data. */
function isDataPath(request: Request): boolean {
  return /\/_|^\/status\/|^\/live$/.test(new URL(request.url).pathname);
}

function loginPath(request: Request): string {
  const { pathname, search } = new URL(request.url);
  const next = request.method === "GET" ? pathname + search : "/";
  return `/user/login?next=${encodeURIComponent(next)}`;
}

// A page that does not exist has no guard; a user who is logged in still gets the usual frame.
async function recogniseCaller(request: Request): Promise<void> {
  const visit = contextOf(request);
  const caller = visit.caller ?? (await callerOf(request).catch(() => undefined));
  if (caller) visit.caller = caller;
}
