// A real browser, if one is installed: the one that CHROMIUM names, or Chromium of Debian. Its build without windows
// takes two thirds of the processor time.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { aSession } from "./browser.ts";
import type { Person } from "./cast.ts";
import { service } from "./service.ts";
import { onTeardown } from "./teardown.ts";

const PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
];
export const executablePath = PLACES.find((place) => place && existsSync(place)) ?? "";

/** Tests that need a browser are skipped without one. */
export const hasChromium = executablePath !== "";

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Shorter than the time limit of a test, so that an error names the step. */
const STEP_TIMEOUT = 30_000;

/** One for all files of a run. */
let running: Promise<Browser> | undefined;

/** Bun ends the processes that a test has started when it times out. */
async function theBrowser(): Promise<Browser> {
  if (!(await running)?.isConnected()) running = launch();
  return running as Promise<Browser>;
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: QUIET });
  onTeardown(() => browser.close());
  return browser;
}

export interface Window {
  page: Page;
  /** Errors that the browser reported: broken scripts, violations of the policy, missing files. */
  complaints: string[];
  close(): Promise<void>;
}

/** A navigation during the transition of a page aborts it, which Chromium reports as an error. */
const TRANSITION = /^Transition was (aborted|skipped)/;

type Options = Parameters<Browser["newContext"]>[0];

export async function aWindow(options: Options = {}): Promise<Window> {
  const browser = await theBrowser();
  const { origin } = await service();
  const context = await browser.newContext({
    baseURL: origin,
    // Nothing on a page can be hit during a transition, and on a busy machine one may not end: look_journey_test.ts tries them.
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT);
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => {
    if (!TRANSITION.test(message)) complaints.push(message);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, complaints, close: () => context.close() };
}

/** The pixels by which a page is wider than its window. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** Milliseconds. */
const QUIET_TIME = 500;

/** Until all of a page is there. The network is never quiet while a page has the stream of changes. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.waitForFunction(isComplete);
  await Bun.sleep(QUIET_TIME);
}

/** Runs in the page. What shows the changes of others is loaded last, where there is something to show. */
function isComplete(): boolean {
  return !document.querySelector("[data-live]") || document.adoptedStyleSheets.length > 0;
}

/** Logs in by a cookie instead of the form, which has tests of its own; the window is still blank. */
export async function logIn({ page }: Pick<Window, "page">, person: Person): Promise<void> {
  const { origin } = await service();
  const cookie = { name: "session", value: await aSession(person), url: origin };
  await page.context().addCookies([{ ...cookie, httpOnly: true, sameSite: "Lax" }]);
}
