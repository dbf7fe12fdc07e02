// What a phone of 390 pixels shows: lists begin high, nothing scrolls sideways but the map, actions are in reach.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHANGES } from "../../pages/changes/list.tsx";
import { MANIFEST } from "../../pages/layout/app_links.tsx";
import { sources } from "../../pages/lists/sources.ts";
import { aWindow, excessWidth, hasChromium, logIn, untilLoaded } from "../support/chromium.ts";
import { aLocation, alice, aNetwork, anItem, bob, carol } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(180_000);

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const MAP = "/network/networks/view/Bench";

async function aPhone(person = alice, width = PHONE.viewport.width) {
  const window = await aWindow({ ...PHONE, viewport: { ...PHONE.viewport, width } });
  await logIn(window, person);
  return window;
}

/** Where an element ends and begins in the window. */
function edgesOf(page: Page, selector: string) {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, top, bottom } = element.getBoundingClientRect();
      return { left, top, bottom };
    });
}

describe.skipIf(!hasChromium)("on a phone", () => {
  test("every list shows its first record above 420 pixels", async () => {
    await aSite();
    const { page, complaints, close } = await aPhone();
    const first = page.locator("#list :is(tbody tr, .empty)").first();
    const tops: Record<string, number> = {};
    for (const path of [...sources.keys(), CHANGES]) {
      await page.goto(path);
      tops[path] = (await first.boundingBox())?.y ?? Number.POSITIVE_INFINITY;
    }
    expect(Object.entries(tops).filter(([, top]) => top >= 420)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("the filters of a list unfold, count what is set, and have a chip that removes it", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await anItem({ ics_id: "AAA002" });
    const { page, close } = await aPhone(carol);
    await page.goto("/inventory/items");
    const place = page.locator("#filters [name=location]");
    expect(await place.isVisible()).toBe(false);
    await page.locator("summary", { hasText: "Filters" }).click();
    await place.fill("Hall A");
    await page.getByText("1 item", { exact: true }).waitFor();
    await page.locator(".fold .count", { hasText: "1" }).waitFor();
    await page.getByRole("link", { name: "Remove the filter location" }).click();
    await page.getByText("2 items", { exact: true }).waitFor();
    expect(await page.locator(".fold .count").textContent()).toBe("");
    await close();
  });

  test("an attribute is added from the bottom of the screen", async () => {
    const { page, close } = await aPhone(bob);
    await page.goto("/inventory/attributes/location");
    expect(await page.getByLabel("New location").isVisible()).toBe(false);
    await page.locator("summary", { hasText: "Add location" }).click();
    await page.getByLabel("New location").fill("Hall A");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator("table.list").getByRole("link", { name: "Hall A" }).waitFor();
    await close();
  });

  test("the changes count what is set in the filters that are folded, and have a chip for it", async () => {
    await aLocation({ name: "Hall A" });
    const { page, close } = await aPhone(alice);
    await page.goto("/changes?user=alice");
    expect(await page.locator(".fold .count").textContent()).toBe("1");
    await page.getByRole("link", { name: "Remove the filter user" }).click();
    await page.waitForURL("**/changes");
    expect(await page.locator(".fold .count").textContent()).toBe("");
    await close();
  });

  test("the filters of a list are in the row of its search on a desk", async () => {
    await anItem();
    const window = await aWindow({ viewport: { width: 1280, height: 800 } });
    await logIn(window, carol);
    await window.page.goto("/inventory/items");
    expect(await window.page.locator("#filters [name=location]").isVisible()).toBe(true);
    expect(await window.page.locator(".fold summary").isVisible()).toBe(false);
    await window.close();
  });

  test("the map of a network scrolls by itself, and its labels stay", async () => {
    await aSite();
    for (const width of [320, 390]) {
      const { page, close } = await aPhone(alice, width);
      await page.goto(MAP);
      expect(await excessWidth(page), String(width)).toBe(0);
      const before = await edgesOf(page, ".map .rows text");
      const squares = await edgesOf(page, ".map a");
      await page.locator(".map .blocks").evaluate((blocks) => blocks.scrollBy(120, 0));
      expect((await edgesOf(page, ".map a")).left).toBe(squares.left - 120);
      expect(await edgesOf(page, ".map .rows text")).toEqual(before);
      await close();
    }
  });

  test("the picture of a scope scrolls by itself, with names as large as on a desk", async () => {
    await aSite();
    const { page, close } = await aPhone();
    await page.goto("/network/scopes/view/Laboratory");
    expect(await excessWidth(page)).toBe(0);
    const name = page.locator(".supernet text", { hasText: "Bench" });
    expect((await name.boundingBox())?.height).toBeGreaterThanOrEqual(10);
    await close();
  });

  test("the actions at the bottom never cover what has the focus", async () => {
    await aSite();
    const { page, close } = await aPhone(alice);
    const pages = [
      ["/inventory/items", ".reach"],
      ["/network/hosts/view/bench-01", ".reach"],
      ["/network/networks/edit/Bench", "[data-guard] > .buttons"],
    ] as const;
    for (const [path, bar] of pages) {
      await page.goto(path);
      await untilLoaded(page);
      expect(Math.round((await edgesOf(page, bar)).bottom), path).toBe(PHONE.viewport.height);
      const covered: string[] = [];
      for (let at = 0; at < 60; at += 1) {
        await page.keyboard.press("Tab");
        const hidden = await page.evaluate(coveredBy, bar);
        if (hidden) covered.push(hidden);
      }
      expect(covered, path).toEqual([]);
    }
    await close();
  });

  test("Scan is one tap away for those who may scan", async () => {
    const bobs = await aPhone(bob);
    await bobs.page.goto("/network/domains");
    await bobs.page.locator(".bar").getByRole("link", { name: "Scan desk" }).click();
    await bobs.page.getByRole("heading", { name: "Scan desk", exact: true }).waitFor();
    await bobs.close();
    const carols = await aPhone(carol);
    await carols.page.goto("/network/domains");
    expect(await carols.page.locator(".bar").getByRole("link", { name: "Scan desk" }).count()).toBe(
      0,
    );
    await carols.close();
  });

  test("the installed app opens where its user left it, until they log out", async () => {
    await aNetwork({ vlan_name: "Bench" });
    const { page, close } = await aPhone(alice);
    await page.addInitScript(() => {
      const { matchMedia } = window;
      const isStandalone = (query: string) => query.includes("standalone");
      window.matchMedia = (query) => matchMedia(isStandalone(query) ? "all" : query);
    });
    await page.goto("/?source=app");
    expect(new URL(page.url()).pathname).toBe("/");
    await page.goto(`${MAP}?in=sort%3Daddress`);
    await page.goto("/network/networks/create");
    await page.goto("/?source=app");
    await page.waitForURL(`**${MAP}?in=sort%3Daddress`);
    await page.goto("/user/logout");
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await close();
  });
});

/** Runs in the page: the element that has the focus, if more than half a pixel of it is below the bar. */
function coveredBy(selector: string): string | undefined {
  const [bar, focused] = [document.querySelector(selector), document.activeElement];
  if (!bar || !focused || bar.contains(focused) || focused === document.body) return undefined;
  const [edge, box] = [bar.getBoundingClientRect(), focused.getBoundingClientRect()];
  const isHidden = box.height > 0 && box.bottom > edge.top + 0.5 && box.top < edge.bottom;
  return isHidden ? focused.outerHTML.slice(0, 200) : undefined;
}

describe.skipIf(!hasChromium)("a phone that installs the site", () => {
  test("gets a manifest without errors, and its icons", async () => {
    const { page, complaints, close } = await aWindow(PHONE);
    await page.goto("/user/login");
    const session = await page.context().newCDPSession(page);
    const { errors, data } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    const { icons, start_url } = JSON.parse(data ?? "{}");
    expect(start_url).toBe("/?source=app");
    const answer = await page.request.get(MANIFEST);
    expect(answer.headers()["content-type"]).toBe("application/manifest+json");
    const sizes = await page.evaluate(
      async (sources: string[]) => {
        const images = sources.map((src) => Object.assign(new Image(), { src }));
        await Promise.all(images.map((image) => image.decode()));
        return images.map(({ naturalWidth, naturalHeight }) => `${naturalWidth}x${naturalHeight}`);
      },
      icons.map(({ src }: { src: string }) => src),
    );
    expect(sizes).toEqual(icons.map((icon: { sizes: string }) => icon.sizes));
    expect(sizes).toEqual(["192x192", "512x512"]);
    expect(complaints).toEqual([]);
    await close();
  });
});
