// How much a browser loads: with an empty cache, and with the files that other pages have loaded.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
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
  // Chromium requests the icon last, after some time.
  let icon = "";
  let gotIcon = Promise.withResolvers<void>();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url.includes("/favicon.")) icon = requestId;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (requestId === icon) gotIcon.resolve();
    if (fromCache.has(requestId) || encodedDataLength === 0) return;
    load.requests += 1;
    load.bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return async (path) => {
    Object.assign(load, { bytes: 0, requests: 0 });
    gotIcon = Promise.withResolvers();
    await page.goto(path, { waitUntil: "networkidle" });
    await gotIcon.promise;
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
    // All at once, because each load ends with half a second of silence.
    const storageState = await loggedIn();
    const found = await Promise.all(MAIN.map((path) => tooHeavy(path, storageState)));
    expect(found.flat()).toEqual([]);
  });
});

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** The cookies of one login, which takes as long as many pages. */
async function loggedIn(): Promise<State> {
  const window = await aWindow();
  await logIn(window, alice);
  const state = await window.page.context().storageState();
  await window.close();
  return state;
}

async function tooHeavy(path: string, storageState: State): Promise<string[]> {
  const window = await aWindow({ storageState });
  const load = await weigh(window.page);
  const first = await load(path);
  const later = await load(path);
  await window.close();
  expect([path, first.requests > 1, later.requests]).toEqual([path, true, 1]);
  return [...heavier(`first ${path}`, first, FIRST), ...heavier(`later ${path}`, later, LATER)];
}
