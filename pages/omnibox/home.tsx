// GET /: the one box, and the state of the site; with ?q= what the box found.
import { Elysia } from "elysia";
import { type Caller, isAdmin } from "../../src/auth/auth.ts";
import { recentWork } from "../../src/history/recent_work.ts";
import { contextOf } from "../../src/http/request_context.ts";
import * as favorites from "../../src/inventory/attributes/favorites.ts";
import { findAll, onlyExact } from "../../src/omnibox/omnibox.ts";
import * as firstSteps from "../../src/system/first_steps.ts";
import { dashboard } from "../home/dashboard.ts";
import { CLOSE } from "../home/first_steps.tsx";
import { Home } from "../home/home_page.tsx";
import { fragment, page, redirect, wantsFragment } from "../layout/page.tsx";
import { safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { resultPath } from "./result_paths.ts";
import { Palette, Results } from "./results.tsx";

export const homePages = new Elysia({ normalize: false })
  .use(guard)
  .get(
    "/",
    ({ request, caller, search }) => {
      const text = search.get("q")?.trim() ?? "";
      if (wantsFragment(request)) return palette(request, caller, text);
      return text === "" ? home(request, caller) : results(request, caller, text);
    },
    { see: "everyone" },
  )
  .post(
    CLOSE,
    async ({ request, caller }) => {
      await firstSteps.close(caller);
      return redirect(request, "/");
    },
    { see: ["admin"] },
  );

const MOST_WORK = 8;

async function home(request: Request, caller: Caller): Promise<Response> {
  const [shown, work, starred, taken] = await Promise.all([
    dashboard(caller),
    recentWork(caller, MOST_WORK),
    favorites.list(caller),
    isAdmin(caller) ? firstSteps.stepsTaken() : undefined,
  ]);
  return page(request, { title: "Home", body: <Home {...{ shown, work, starred, taken }} /> });
}

async function palette(request: Request, caller: Caller, text: string): Promise<Response> {
  if (text === "") return fragment(request, null);
  return fragment(request, <Palette text={text} found={await findAll(caller, text)} />);
}

/** An exact name opens its record at once, and an address of our own opens its page. */
async function results(request: Request, caller: Caller, text: string): Promise<Response> {
  const own = ownPath(request, text);
  if (own) return redirect(request, own);
  const found = await findAll(caller, text);
  const only = onlyExact(found);
  if (only) return redirect(request, resultPath(only));
  return page(request, {
    title: `Search: ${text}`,
    crumbs: [{ label: "Search" }],
    body: <Results text={text} found={found} />,
  });
}

/** Codes and messages carry whole addresses. */
function ownPath(request: Request, text: string): string | undefined {
  const { origin } = contextOf(request);
  const path = text.startsWith(`${origin}/`) ? safePath(text.slice(origin.length)) : "/";
  return path === "/" ? undefined : path;
}
