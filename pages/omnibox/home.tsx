// GET /: the one box, and what has happened; with ?q= what the box found.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { recent } from "../../src/history/history.ts";
import { contextOf } from "../../src/http/request_context.ts";
import * as favorites from "../../src/inventory/attributes/favorites.ts";
import { nearlyFull } from "../../src/network/networks/usage.ts";
import { overview } from "../../src/network/overview.ts";
import { findAll, onlyExact } from "../../src/omnibox/omnibox.ts";
import { fragment, page, redirect, wantsFragment } from "../layout/page.tsx";
import { safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { Home } from "./home_page.tsx";
import { pathOf } from "./result_paths.ts";
import { Palette, Results } from "./results.tsx";

export const homePages = new Elysia({ normalize: false }).use(guard).get(
  "/",
  ({ request, caller, search }) => {
    const text = search.get("q")?.trim() ?? "";
    if (wantsFragment(request)) return palette(request, caller, text);
    return text === "" ? home(request, caller) : results(request, caller, text);
  },
  { see: "everyone" },
);

const LAST = 20;
const MINE = 5;
const FULLEST = 6;

async function home(request: Request, caller: Caller): Promise<Response> {
  const [events, mine, starred, full, counts] = await Promise.all([
    recent(caller, { most: LAST }),
    caller.id === null ? [] : recent(caller, { by: caller.id, most: MINE }),
    favorites.list(caller),
    nearlyFull(caller, FULLEST),
    overview(caller),
  ]);
  return page(request, {
    title: "Home",
    body: <Home {...{ events, mine, starred, full, counts }} />,
  });
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
  if (only) return redirect(request, pathOf(only));
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
