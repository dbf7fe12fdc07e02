import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { aWindow, closeChromium, hasChromium, logIn } from "../support/chromium.ts";
import { aGroup, aHost, aLocation, alice, aNetwork, anItem, aScope } from "../support/mod.ts";

setDefaultTimeout(180_000);
afterAll(closeChromium);

const PAGES = [
  "/",
  "/?q=ben",
  "/user/profile",
  "/inventory/attributes/location",
  "/inventory/attributes/location?q=nothing",
  "/inventory/attributes/manufacturer",
  "/inventory/attributes/favorites",
  "/inventory/items",
  "/inventory/items/create",
  "/inventory/items/import",
  "/inventory/items/view/AAA001",
  "/inventory/items/labels",
  "/inventory/scanner",
  "/network/hosts",
  "/network/hosts?q=name:bench*",
  "/network/hosts/create?network=Bench",
  "/network/hosts/view/bench-01",
  "/network/hosts/edit/bench-01",
  "/network/hosts?q=location:x",
  "/network/hosts?q=(",
  "/network/interfaces",
  "/network/interfaces?q=bnech",
  "/network/interfaces/create/bench-01",
  "/network/interfaces/edit/bench-01",
  "/network/domains",
  "/network/scopes",
  "/network/scopes/create",
  "/network/scopes/view/Laboratory",
  "/network/networks",
  "/network/networks/create?scope=Laboratory",
  "/network/networks/edit/Bench",
  "/network/networks/view/Bench",
  "/network/groups",
  "/network/groups/create",
  "/network/groups/edit/Bench%20hosts",
  "/network/groups/view/Bench%20hosts",
  "/api/docs",
  "/nowhere",
];
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

describe.skipIf(!hasChromium)("every page", () => {
  test.each(VIEWS)("can be read and used by everyone at %p", async ({ width, colorScheme }) => {
    const { id } = await aLocation({ name: "Hall A", description: "The big one" });
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await aScope({ name: "Laboratory" });
    await aNetwork({ scope: "Laboratory", vlan_name: "Bench" });
    await aHost({ name: "bench-01", network: "Bench", automation_vars: { port: 1 } });
    await aGroup({ name: "Bench hosts", hosts: ["bench-01"], vars: { port: 2 } });
    const window = await aWindow({ viewport: { width, height: 800 }, colorScheme });
    const { page, complaints } = window;
    await page.goto("/user/login");
    expect(["login", await violations(page)]).toEqual(["login", []]);
    await logIn(window, alice);
    for (const path of [...PAGES, `/inventory/attributes/location?selected=${id}`]) {
      await page.goto(path);
      expect([path, await violations(page)]).toEqual([path, []]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, overflow > 0]).toEqual([path, false]);
    }
    expect(complaints.filter((text) => !/ (404|422) /.test(text))).toEqual([]);
    await window.close();
  });
});
