// GET /: the one box, and the state of the site; with ?q= what the box found.
import { Elysia } from "elysia";
import { type Caller, isAdmin } from "../../src/auth/auth.ts";
import { isHowTo } from "../../src/help/find.ts";
import { recentItems, recentWork } from "../../src/history/recent_work.ts";
import { contextOf } from "../../src/http/request_context.ts";
import * as favorites from "../../src/inventory/attributes/favorites.ts";
import { freeAddresses, newestHosts } from "../../src/network/latest.ts";
import { findAll, type OmniboxResult, onlyExact } from "../../src/omnibox/omnibox.ts";
import * as firstSteps from "../../src/system/first_steps.ts";
import { siteState } from "../../src/system/state.ts";
import * as tour from "../../src/user/tour.ts";
import { dashboard } from "../home/dashboard.ts";
import { Home } from "../home/home_page.tsx";
import { rolesOf } from "../home/roles.ts";
import { fragment, page, redirect, wantsFragment } from "../layout/page.tsx";
import { safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { LOGOUT } from "../user/paths.ts";
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

/** The page of the one record, answer or command that the text names. */
function onlyPage(caller: Caller, text: string, found: OmniboxResult): string | undefined {
  const only = onlyExact(found);
  if (only) return resultPath(only);
  const commands = commandsFor(caller, text).filter(({ isExact }) => isExact);
  const [answer, command] = [found.answers[0], commands[0]];
  if (found.answers.length + commands.length !== 1) return undefined;
  // Nobody is logged out by a search.
  if (command?.href === LOGOUT || command?.sends || asksHowTo(text)) return undefined;
  if (command) return command.href;
  const isList = answer && ("changes" in answer.to || "list" in answer.to);
  return isList && found.hits.length === 0 && !isHowTo(text) ? targetPath(answer.to) : undefined;
}

/** What the text can only mean opens at once, and so does an address of our own. */
async function results(request: Request, caller: Caller, text: string): Promise<Response> {
  const own = ownPath(request, text);
  if (own) return redirect(request, own);
  const found = await findAll(caller, text);
  const meant = onlyPage(caller, text, found);
  if (meant) return redirect(request, meant);
  return page(request, {
    title: `Search: ${text}`,
    crumbs: [{ label: "Search" }],
    body: <Results text={text} found={found} />,
  });
}

/** Codes and messages carry whole addresses. A question mark asks for help. */
function ownPath(request: Request, text: string): string | undefined {
  if (text === "?") return "/help";
  const { origin } = contextOf(request);
  const path = text.startsWith(`${origin}/`) ? safePath(text.slice(origin.length)) : "/";
  return path === "/" ? undefined : path;
}
