// GET /: the one box, and the state of the site; with ?q= what the box found.
import { Elysia } from "elysia";
import { type Caller, isAdmin } from "../../src/auth/auth.ts";
import { recentItems, recentWork } from "../../src/history/recent_work.ts";
import { contextOf } from "../../src/http/request_context.ts";
import * as favorites from "../../src/inventory/attributes/favorites.ts";
import { freeAddresses, newestHosts } from "../../src/network/latest.ts";
import { findAll, onlyExact } from "../../src/omnibox/omnibox.ts";
import * as firstSteps from "../../src/system/first_steps.ts";
import { siteState } from "../../src/system/state.ts";
import * as tour from "../../src/user/tour.ts";
import { dashboard } from "../home/dashboard.ts";
import { Home } from "../home/home_page.tsx";
import { rolesOf } from "../home/roles.ts";
import { fragment, page, redirect, wantsFragment } from "../layout/page.tsx";
import { safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { commandsFor } from "./commands.ts";
import { resultPath, targetPath } from "./result_paths.ts";
import { asksHowTo, Palette, Results } from "./results.tsx";

export const homePages = new Elysia({ normalize: false }).use(guard).get(
  "/",
  ({ request, caller, search }) => {
    const text = search.get("q")?.trim() ?? "";
    if (wantsFragment(request)) return palette(request, caller, text);
    return text === "" ? home(request, caller) : results(request, caller, text);
  },
  { see: "everyone" },
);

const MOST = 8;

async function home(request: Request, caller: Caller): Promise<Response> {
  const roles = rolesOf(caller);
  const isTechnician = roles.includes("inventory");
  const worksOnNetwork = roles.includes("network") || isAdmin(caller);
  const figures = dashboard(caller);
  const [shown, free, ...others] = await Promise.all([
    figures,
    worksOnNetwork
      ? figures.then(({ networks }) => freeAddresses(caller, networks, MOST))
      : undefined,
    worksOnNetwork ? newestHosts(caller, MOST) : undefined,
    isTechnician ? recentItems(caller, MOST) : undefined,
    recentWork(caller, { most: MOST, ...(isTechnician && { without: "items" }) }),
    favorites.list(caller),
    tour.isOpen(caller),
    isAdmin(caller) ? firstSteps.stepsTaken() : undefined,
    isAdmin(caller) ? siteState() : undefined,
  ]);
  const [hosts, items, work, starred, hasTour, taken, site] = others;
  const { origin } = contextOf(request);
  const all = { shown, free, hosts, items, work, starred, hasTour, taken, site, origin };
  return page(request, { title: "Home", body: <Home {...all} /> });
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
  const [answer, ...more] = found.answers;
  if (answer && "changes" in answer.to && more.length === 0 && found.hits.length === 0)
    return redirect(request, targetPath(answer.to));
  const command = commandsFor(caller, text).find(({ isExact, sends }) => isExact && !sends);
  if (command && found.answers.length === 0 && !asksHowTo(text))
    return redirect(request, command.href);
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
