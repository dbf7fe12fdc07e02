import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { aWindow, closeChromium, hasChromium, logIn } from "../support/chromium.ts";
import { alice } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(180_000);
afterAll(closeChromium);

const VIEWS = [
  { width: 1280, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
  { width: 320, colorScheme: "light" },
] as const;

/** Run by the browser's own protocol: our policy lets no script in by any other way. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      "axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))))",
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value);
}

/** The forms in which Enter presses a hidden button although another button of theirs is visible. */
function pressedUnseen(): string[] {
  return [...document.forms].flatMap((form) => {
    const buttons = [...form.elements].filter((one) => one.matches("[type=submit]"));
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true });
    const [pressed] = buttons;
    return pressed && !isSeen(pressed) && buttons.some(isSeen) ? [pressed.outerHTML] : [];
  });
}

describe.skipIf(!hasChromium)("every page", () => {
  test.each(VIEWS)("can be read and used by everyone at %p", async ({ width, colorScheme }) => {
    const pages = await aSite();
    const window = await aWindow({ viewport: { width, height: 800 }, colorScheme });
    const { page, complaints } = window;
    await page.goto("/user/login");
    expect(["login", await violations(page)]).toEqual(["login", []]);
    await logIn(window, alice);
    for (const path of pages) {
      await page.goto(path);
      expect([path, await violations(page)]).toEqual([path, []]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, overflow > 0]).toEqual([path, false]);
      expect([path, await page.evaluate(pressedUnseen)]).toEqual([path, []]);
    }
    expect(complaints.filter((text) => !/ (404|422) /.test(text))).toEqual([]);
    await window.close();
  });
});
