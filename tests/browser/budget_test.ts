// How much a browser loads: with an empty cache, and with the files that other pages have loaded.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { alice, anItem } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(180_000);

const KB = 1000;
const FIRST = { bytes: 45 * KB, requests: 6 };
const LATER = { bytes: 12 * KB, requests: 1 };

const MAIN = [
  "/",
  "/inventory/items",
  "/inventory/items/view/AAA001",
  "/network/hosts",
  "/network/hosts/view/bench-01",
  "/network/networks/view/Bench",
  "/changes",
  "/admin",
  "/inventory/scanner",
];
/** More than a page of a list. */
const ITEMS = 25;

interface Load {
  bytes: number;
  requests: number;
}

/** What the browser receives over the network for a page, headers included. */
async function weigh(page: Page): Promise<(path: string) => Promise<Load>> {
  const session = await page.context().newCDPSession(page);
  const load: Load = { bytes: 0, requests: 0 };
  const fromCache = new Set<string>();
  session.on("Network.requestServedFromCache", ({ requestId }) => fromCache.add(requestId));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (fromCache.has(requestId) || encodedDataLength === 0) return;
    load.requests += 1;
    load.bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return async (path) => {
    Object.assign(load, { bytes: 0, requests: 0 });
    await page.goto(path, { waitUntil: "networkidle" });
    return { ...load };
  };
}

function heavier(path: string, load: Load, most: Load): string[] {
  const isHeavier = load.bytes > most.bytes || load.requests > most.requests;
  return isHeavier ? [`${path}: ${load.bytes} bytes, ${load.requests} requests`] : [];
}

describe.skipIf(!hasChromium)("a main page", () => {
  test("loads at most 45 KB in 6 requests at first, and 12 KB when its files are known", async () => {
    await aSite();
    for (let made = 0; made < ITEMS; made += 1) await anItem();
    const found: string[] = [];
    for (const path of MAIN) {
      const window = await aWindow();
      await logIn(window, alice);
      const load = await weigh(window.page);
      const first = await load(path);
      expect([path, first.requests > 1]).toEqual([path, true]);
      found.push(...heavier(`first ${path}`, first, FIRST));
      found.push(...heavier(`later ${path}`, await load(path), LATER));
      await window.close();
    }
    expect(found).toEqual([]);
  });
});
