import { describe, expect, setDefaultTimeout, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { pages } from "../../pages/mod.ts";
import { fill } from "../../src/demo/mod.ts";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { elements } from "../support/html.ts";
import { alice, PASSWORD, service } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(600_000);

type Scheme = "light" | "dark";

const VIEWS: Array<[width: number, schemes: Scheme[]]> = [
  [1280, ["light", "dark"]],
  [320, ["light"]],
];
/** No page is wider than the window either on a usual phone, or on a desk at 200 %. */
const OTHER_WIDTHS = [375, 640];

/** The rules for the first colour scheme; for the others only those about colours. */
const ALL = '{ rules: { "target-size": { enabled: true } } }';
const COLOURS = '{ runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }';
/** On a narrow window, without all checks: the rules about the layout. */
const LAYOUT =
  '{ runOnly: { type: "rule", values: ["target-size", "scrollable-region-focusable", "aria-hidden-focus"] }, rules: { "target-size": { enabled: true } } }';

/** Injected over the DevTools protocol, because the content security policy allows no other script. */
function axeOf(page: Page): (options: string) => Promise<string[]> {
  const session = page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result } = await (await session).send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value;
  };
  // Only violations, and without selectors of elements: this takes half the time.
  const check = `(options) =>
    axe.run({ ...options, resultTypes: ["violations"], selectors: false }).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html))))`;
  return async (options) => {
    await evaluate(`void (globalThis.axe ?? (() => { ${axe.source} })())`);
    return JSON.parse(await evaluate(`(${check})(${options})`));
  };
}

/** Forms in which Enter activates a hidden button although the form has a visible one. */
function pressedUnseen(): string[] {
  return [...document.forms].flatMap((form) => {
    const buttons = [...form.elements].filter((one) => one.matches("[type=submit]"));
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true });
    const [pressed] = buttons;
    return pressed && !isSeen(pressed) && buttons.some(isSeen) ? [pressed.outerHTML] : [];
  });
}

interface Checked {
  width: number;
  schemes: Scheme[];
  /** Leads on to a page that only a form opens; returns its path. */
  goOn?: (page: Page) => Promise<string>;
}

/** Visits the pages as Alice, in a window of this width. */
async function check(pages: string[], { width, schemes, goOn }: Checked): Promise<void> {
  // Without transitions, because colours would be read half-way.
  const window = await aWindow({ viewport: { width, height: 800 }, reducedMotion: "reduce" });
  const { page, complaints } = window;
  const violations = axeOf(page);
  const rules = allChecks || width > 400 ? ALL : LAYOUT;
  const look = async (path: string) => {
    for (const [at, colorScheme] of schemes.entries()) {
      await page.emulateMedia({ colorScheme });
      const found = await violations(at === 0 ? rules : COLOURS);
      expect([path, colorScheme, found]).toEqual([path, colorScheme, []]);
    }
    expect([path, await page.evaluate(pressedUnseen)]).toEqual([path, []]);
    expect([path, await tooWideAt(page, width)]).toEqual([path, []]);
  };
  await page.goto("/user/login");
  await look("/user/login");
  await logIn(window, alice);
  for (const path of pages) {
    await page.goto(path);
    await look(path);
  }
  if (goOn) await look(await goOn(page));
  expect(complaints.filter((text) => !/ (404|422) /.test(text))).toEqual([]);
  await window.close();
}

async function changeGroups(page: Page): Promise<string> {
  await page.goto("/network/groups");
  await page.getByLabel("Select Bench hosts").check();
  await page.getByRole("button", { name: "Change selected" }).click();
  await page.getByText("1 group selected").waitFor();
  return "/lists/change";
}

async function tooWideAt(page: Page, width: number): Promise<string[]> {
  const found: string[] = [];
  const widths = width < 400 ? [width, ...OTHER_WIDTHS] : [width];
  for (const one of widths) {
    if (one !== width) await page.setViewportSize({ width: one, height: 800 });
    const most = await page.evaluate(() => document.documentElement.scrollWidth);
    if (most > one) found.push(`${most} px at ${one}`);
  }
  if (widths.length > 1) await page.setViewportSize({ width, height: 800 });
  return found;
}

describe.skipIf(!hasChromium)("every page", () => {
  test.each(VIEWS)("passes the accessibility checks at a width of %d", async (width, schemes) => {
    await check(await aSite(), { width, schemes, goOn: changeGroups });
  });

  // The demo has longer names and fuller pages, and takes as long as all of the above.
  test.skipIf(!allChecks)("passes them with the demo data", async () => {
    await service();
    await fill(PASSWORD);
    const paths = await pagesOfDemo();
    for (const [width, schemes] of VIEWS) await check(paths, { width, schemes });
  });
});

const STARTS = ["/", "/inventory", "/network", "/admin", "/admin/users", "/admin/tokens"];
const FILES = /\.\w+$|\/_|\/export|\/download$|\/logout$/;

/** A page of each route that links lead to. */
async function pagesOfDemo(): Promise<string[]> {
  const own = await browser(alice);
  const routes = pages.routes.filter(({ method, path }) => method === "GET" && !/\*/.test(path));
  const patterns = routes.map(
    ({ path }) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace(/\/$/, "/?")}$`),
  );
  const visited = new Map<RegExp, string>();
  const queue = [...STARTS];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const plain = path.replace(/\?.*/, "");
    const pattern = patterns.find((one) => one.test(plain));
    if (!pattern || visited.has(pattern) || FILES.test(plain)) continue;
    visited.set(pattern, path);
    const { text } = await own.get(path);
    queue.push(...elements(text, "a[href^='/']").map(({ attributes }) => attributes.href ?? ""));
  }
  return [...visited.values()];
}
