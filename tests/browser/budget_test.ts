// How much a browser loads: with an empty cache, and with the files that other pages have loaded.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { allChecks } from "../support/checks.ts";
import { aWindow, hasChromium, logIn, untilLoaded } from "../support/chromium.ts";
import { alice, anItem } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(180_000);

const KB = 1000;
const FIRST = { bytes: 45 * KB, requests: 6 };
const LATER = { bytes: 12 * KB, requests: 1 };

const MAIN = [
  "/",
  "/user/profile",
  "/changes",
  "/admin",
  "/admin/users",
  "/admin/audit",
  "/inventory",
  "/inventory/items",
  "/inventory/items/view/AAA001",
  "/inventory/items/create",
  "/inventory/items/import",
  "/inventory/items/labels",
  "/inventory/attributes/location",
  "/inventory/attributes/location/Hall%20A",
  "/inventory/attributes/favorites",
  "/inventory/scanner",
  "/network",
  "/network/hosts",
  "/network/hosts/view/bench-01",
  "/network/hosts/create",
  "/network/interfaces",
  "/network/networks",
  "/network/networks/view/Bench",
  "/network/scopes",
  "/network/scopes/view/Laboratory",
  "/network/vlans/310",
  "/network/domains",
  "/network/groups",
  "/network/groups/view/Bench%20hosts",
];
/** Pages at the same time, because each load ends with half a second of silence. */
const WINDOWS = 6;
/** More than a page of a list. */
const ITEMS = 25;

interface Load {
  bytes: number;
  requests: number;
}

interface Scales {
  /** What the browser receives over the network for a page, headers included. */
  load(path: string): Promise<Load>;
  /** Empties the cache, as before a first visit. */
  forget(): Promise<void>;
}

async function weigh(page: Page): Promise<Scales> {
  const session = await page.context().newCDPSession(page);
  const load: Load = { bytes: 0, requests: 0 };
  const fromCache = new Set<string>();
  const urls = new Map<string, string>();
  const loaded = new Set<string>();
  let gotIcon = Promise.withResolvers<void>();
  session.on("Network.requestServedFromCache", ({ requestId }) => fromCache.add(requestId));
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    urls.set(requestId, request.url);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId) ?? "";
    if (url.includes("/favicon.")) gotIcon.resolve();
    // A photo of a record is asked for each time, because what one may see changes.
    if (/\/(content|small)$/.test(url)) return;
    if (fromCache.has(requestId) || encodedDataLength === 0 || loaded.has(url)) return;
    loaded.add(url);
    load.requests += 1;
    load.bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return {
    load: async (path) => {
      Object.assign(load, { bytes: 0, requests: 0 });
      loaded.clear();
      gotIcon = Promise.withResolvers();
      await page.goto(path);
      await untilLoaded(page);
      await page.evaluate(loadIcon);
      await gotIcon.promise;
      return { ...load };
    },
    forget: async () => {
      await page.goto("about:blank");
      await session.send("Network.clearBrowserCache");
    },
  };
}

/** Runs in the page. A Chromium without windows does not request the icon, and another one requests it late. */
function loadIcon(): void {
  new Image().src = document.querySelector<HTMLLinkElement>("link[rel~=icon]")?.href ?? "";
}

function heavier(path: string, load: Load, most: Load): string[] {
  const isHeavier = load.bytes > most.bytes || load.requests > most.requests;
  return isHeavier ? [`${path}: ${load.bytes} bytes, ${load.requests} requests`] : [];
}

describe.skipIf(!hasChromium || !allChecks)("a main page", () => {
  test("loads at most 45 KB in 6 requests at first, and 12 KB when its files are known", async () => {
    await aSite();
    for (let made = 0; made < ITEMS; made += 1) await anItem();
    const waiting = [...MAIN];
    const found = await Promise.all(Array.from({ length: WINDOWS }, () => tooHeavyOf(waiting)));
    expect(found.flat()).toEqual([]);
  });
});

/** Takes one page after the other until none is left. */
async function tooHeavyOf(waiting: string[]): Promise<string[]> {
  const window = await aWindow();
  await logIn(window, alice);
  const { load, forget } = await weigh(window.page);
  const found: string[] = [];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    await forget();
    const first = await load(path);
    const later = await load(path);
    expect([path, first.requests > 1, later.requests]).toEqual([path, true, 1]);
    found.push(
      ...heavier(`first ${path}`, first, FIRST),
      ...heavier(`later ${path}`, later, LATER),
    );
  }
  await window.close();
  return found;
}
