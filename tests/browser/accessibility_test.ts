import { describe, expect, setDefaultTimeout, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { alice } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(600_000);

const VIEWS: Array<[width: number, schemes: Array<"light" | "dark">]> = [
  [1280, ["light", "dark"]],
  [320, ["light"]],
];

/** The rules for the first colour scheme; for the others only those about colours. */
const ALL = "{}";
const COLOURS = '{ runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }';

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

describe.skipIf(!hasChromium)("every page", () => {
  test.each(VIEWS)("passes the accessibility checks at a width of %d", async (width, schemes) => {
    const pages = await aSite();
    // Without transitions, because colours would be read half-way.
    const window = await aWindow({ viewport: { width, height: 800 }, reducedMotion: "reduce" });
    const { page, complaints } = window;
    const violations = axeOf(page);
    const look = async (path: string) => {
      for (const [at, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme });
        const found = await violations(at === 0 ? ALL : COLOURS);
        expect([path, colorScheme, found]).toEqual([path, colorScheme, []]);
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, overflow > 0]).toEqual([path, false]);
      expect([path, await page.evaluate(pressedUnseen)]).toEqual([path, []]);
    };
    await page.goto("/user/login");
    await look("/user/login");
    await logIn(window, alice);
    for (const path of pages) {
      await page.goto(path);
      await look(path);
    }
    await page.goto("/network/groups");
    await page.getByLabel("Select Bench hosts").check();
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByText("1 group selected").waitFor();
    await look("/lists/change");
    expect(complaints.filter((text) => !/ (404|422) /.test(text))).toEqual([]);
    await window.close();
  });
});
