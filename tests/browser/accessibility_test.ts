import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { pages } from "../../pages/mod.ts";
import { fill } from "../../src/demo/mod.ts";
import { ALL, axeOf } from "../support/axe.ts";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { elements } from "../support/html.ts";
import { alice, PASSWORD, service } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(600_000);

const DESK = 1280;
const NARROW = 320;
/** With all checks also a usual phone, and a desk at 200 %. */
const OTHER_WIDTHS = allChecks ? [640, 375] : [];
/** Without all checks every sixth page is looked at, and a few by all rules and in the dark: all have the same parts. */
const ONE_PAGE_OF = allChecks ? 1 : 6;
const ONE_BY_ALL_RULES = allChecks ? 1 : 2;
const ONE_IN_THE_DARK = allChecks ? 1 : 4;
const HEIGHT = 800;

/** In the dark. */
const COLOURS = '{ runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }';

/** Forms in which Enter activates a hidden button although the form has a visible one. */
function pressedUnseen(): string[] {
  return [...document.forms].flatMap((form) => {
    const buttons = [...form.elements].filter((one) => one.matches("[type=submit]"));
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true });
    const [pressed] = buttons;
    return pressed && !isSeen(pressed) && buttons.some(isSeen) ? [pressed.outerHTML] : [];
  });
}

/** Visits the pages as Alice: on a desk, light and dark, and on narrow windows. `goOn` leads to a page that only a
 * form opens, and returns its path. */
async function check(pages: string[], goOn?: (page: Page) => Promise<string>): Promise<void> {
  // Without transitions, because colours would be read half-way.
  const window = await aWindow();
  const { page, complaints } = window;
  const violations = await axeOf(page);
  let looked = 0;
  const look = async (path: string) => {
    const found: Record<string, string[]> = { dark: [] };
    if (looked % ONE_IN_THE_DARK === 0) {
      await page.emulateMedia({ colorScheme: "dark" });
      found.dark = await violations(COLOURS);
      await page.emulateMedia({ colorScheme: "light" });
    }
    const isChecked = looked % ONE_BY_ALL_RULES === 0;
    looked += 1;
    found.light = isChecked ? await violations(ALL) : [];
    found.pressedUnseen = await page.evaluate(pressedUnseen);
    // Ends at the narrowest.
    found.tooWide = await tooWide(page);
    if (allChecks) {
      await showAll(page);
      found.narrow = await violations(ALL);
    }
    await setWidth(page, DESK);
    expect([path, found]).toEqual([path, NOTHING]);
  };
  await setWidth(page, DESK);
  await page.goto("/user/login");
  await look("/user/login");
  await logIn(window, alice);
  for (const path of pages.filter((_, at) => at % ONE_PAGE_OF === 0)) {
    await page.goto(path);
    await look(path);
  }
  if (goOn) await look(await goOn(page));
  expect(complaints.filter((text) => !/ (404|422) /.test(text))).toEqual([]);
  await window.close();
}

const NOTHING = {
  dark: [],
  light: [],
  pressedUnseen: [],
  tooWide: [],
  ...(allChecks && { narrow: [] }),
};

async function changeGroups(page: Page): Promise<string> {
  await page.goto("/network/groups");
  await page.getByLabel("Select Bench hosts").check();
  await page.getByRole("button", { name: "Change selected" }).click();
  await page.getByText("1 group selected").waitFor();
  return "/lists/change";
}

async function tooWide(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [DESK, ...OTHER_WIDTHS, NARROW]) {
    await setWidth(page, width);
    const most = await page.evaluate(() => document.documentElement.scrollWidth);
    if (most > width) found.push(`${most} px at ${width}`);
  }
  return found;
}

/** Makes the window as high as the page: the actions at its foot then cover nothing that one could scroll away. */
async function showAll(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const { width = DESK } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height });
}

function setWidth(page: Page, width: number): Promise<void> {
  return page.setViewportSize({ width, height: HEIGHT });
}

describe.skipIf(!hasChromium)("every page", () => {
  test("passes the accessibility checks on wide and narrow windows", async () => {
    await check(await aSite(), changeGroups);
  });

  // The demo has longer names and fuller pages, and takes as long as all of the above.
  test.skipIf(!allChecks)("passes them with the demo data", async () => {
    await service();
    await fill(PASSWORD);
    await check(await pagesOfDemo());
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
