// Measures the layout of pages: nothing shifts, nothing is too small, and the current page is marked.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { sources } from "../../pages/lists/sources.ts";
import { allChecks } from "../support/checks.ts";
import { aWindow, excessWidth, hasChromium, logIn, untilLoaded } from "../support/chromium.ts";
import {
  aDomain,
  aGroup,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  PASSWORD,
} from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(180_000);

const PHONE = { width: 375, height: 812 };
const DESK = { width: 1280, height: 800 };
const SCREENS: Array<[name: string, viewport: typeof DESK]> = [
  ["phone", PHONE],
  ["desk", DESK],
];

/** One page of each layout. */
const STILL = [
  "/",
  "/inventory/items",
  "/inventory/items/view/AAA001",
  "/network/hosts/view/bench-01",
  "/network/networks/view/Bench",
  "/network/scopes/view/Laboratory",
];

/** Adds up the layout shifts that nobody caused by typing or clicking. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts = { sum: 0 };
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Array<PerformanceEntry & { value: number }>) {
        shifts.sum += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return async () => {
    await untilLoaded(page);
    return page.evaluate(() => (globalThis as unknown as { shifts: { sum: number } }).shifts.sum);
  };
}

const WORD = "W".repeat(50);

/** Names, descriptions and addresses without a space in them; returns the pages that are no lists. */
async function aSiteOfLongNames(): Promise<string[]> {
  const host = `h${"o".repeat(50)}st`;
  const short = WORD.slice(0, 25);
  const all = { name: WORD, description: WORD };
  for (const kind of ["manufacturers", "models", "locations", "statuses"]) {
    await api(alice).post(`/inventory/${kind}`, all);
  }
  const made = await api(alice).post("/network/device_types", { name: WORD });
  const domain = await aDomain({ name: `${"d".repeat(60)}.${"e".repeat(60)}.example.org` });
  const first = "2001:db8:10:399:1111:1111:1111:1111";
  const last = "2001:db8:10:399:ffff:ffff:ffff:fffe";
  const gateway = "2001:db8:10:399:1111:1111:1111:1110";
  const block = { supernet: "2001:db8:10::/48", address: "2001:db8:10:399::/64" };
  await aScope({ name: short, supernet: block.supernet, domain_id: domain.id, description: WORD });
  await aNetwork({
    ...{ scope: short, vlan_name: short, address: block.address, gateway },
    ...{ first_ip: first, last_ip: last, description: WORD },
  });
  await api(alice).post("/network/groups", { name: WORD, vars: { [WORD]: 1 } });
  await api(alice).post("/network/groups", { name: `${WORD}x`, children: [WORD] });
  const kinds = { manufacturer: WORD, model: WORD, location: WORD, status: WORD };
  await anItem({ ...kinds, ics_id: "AAA001", serial_number: WORD });
  const groups = { automation_groups: [WORD, `${WORD}x`] };
  await aHost({ ...groups, name: host, network: short, description: WORD, items: ["AAA001"] });
  await api(alice).post("/user/tokens", { description: WORD, limits: ["network:read"] });
  await api(alice).post("/webhooks", { name: WORD, url: `https://hooks.invalid/${WORD}` });
  const server = { template: "awx", url: `https://${"a".repeat(60)}.example.org`, job_template: 7 };
  const off = { secret: "x", is_active: false };
  const trigger = await api(alice).post("/triggers", { ...server, ...off, name: WORD });
  expect([made.status, trigger.status]).toEqual([201, 201]);
  return [
    ...["/user/profile", "/admin/audit", "/changes", `/changes/${made.headers.get("change-set")}`],
    ...["/admin/webhooks", "/admin/triggers", "/admin/tokens", "/admin/users"],
    `/inventory/attributes/location/${WORD}`,
    "/inventory/items/view/AAA001",
    `/network/device_types/view/${WORD}`,
    `/network/groups/view/${WORD}`,
    `/network/hosts/view/${host}`,
    `/network/hosts/edit/${host}`,
    `/network/networks/view/${short}`,
    `/network/scopes/view/${short}`,
  ];
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test.skipIf(!allChecks).each(SCREENS)(
    "no page shifts while it loads, on a %s",
    async (_, viewport) => {
      await aSite();
      const window = await aWindow({ viewport, reducedMotion: "no-preference" });
      const shifts = await watchShifts(window.page);
      await logIn(window, alice);
      // A page that arrives slowly is painted before all of it is there.
      const session = await window.page.context().newCDPSession(window.page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: 6 });
      for (const path of STILL) {
        await window.page.goto(path);
        expect([path, (await shifts()) < 0.05]).toEqual([path, true]);
      }
      await window.close();
    },
  );

  test("no list is wider than the screen, at any width, for a user with a long name", async () => {
    await aSite();
    const person = { ...alice, username: "bartholomew.featherstonehaugh.of.the.vacuum.laboratory" };
    const { status } = await api(alice).post("/user/users", { ...person, password: PASSWORD });
    expect(status).toBe(201);
    const window = await aWindow({ viewport: DESK });
    const { page } = window;
    await page.goto("/user/login");
    await page.getByLabel("Username").fill(person.username);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText(person.username).waitFor();
    for (const path of ["/network/interfaces", "/network/hosts", "/inventory/items"]) {
      await page.goto(path);
      for (const width of [320, 375, 640, 768, 820, 1024, 1100, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const wider = await excessWidth(page);
        expect([path, width, wider > 0]).toEqual([path, width, false]);
      }
    }
    await window.close();
  });

  test.each(allChecks ? SCREENS : SCREENS.slice(0, 1))(
    "no page is wider than a %s, for records with long names",
    async (_, viewport) => {
      const paths = await aSiteOfLongNames();
      const window = await aWindow({ viewport });
      const { page } = window;
      await logIn(window, alice);
      for (const path of [...paths, ...sources.keys()]) {
        const answer = await page.goto(path);
        expect([path, answer?.status()]).toEqual([path, 200]);
        const wider = await excessWidth(page);
        expect([path, wider > 0]).toEqual([path, false]);
      }
      await window.close();
    },
  );

  test("the cells of a network's map are large enough for a finger", async () => {
    await aScope({ name: "Laboratory" });
    await aNetwork({ scope: "Laboratory", vlan_name: "Bench" });
    const window = await aWindow({ viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = window;
    await logIn(window, alice);
    await page.goto("/network/networks/view/Bench");
    const box = await page.locator(".map .blocks a rect").first().boundingBox();
    expect(Math.min(box!.width, box!.height)).toBeGreaterThanOrEqual(24);
    const wider = await excessWidth(page);
    expect(wider).toBeLessThanOrEqual(0);
    await window.close();
  });

  test("twenty compact rows fit on a screen, in every list", async () => {
    for (let at = 0; at < 21; at += 1) await anItem({ serial_number: `S-${at}` });
    for (let at = 0; at < 21; at += 1) await aHost({ name: `crate-${at}` });
    for (const host of ["crate-0", "crate-0", "crate-1"]) await anInterface({ host });
    await aLocation();
    await api(alice).post("/network/groups", { name: "One" });
    const window = await aWindow({ viewport: DESK });
    const { page } = window;
    await logIn(window, alice);
    await page.goto("/inventory/items");
    await page.getByRole("button", { name: "Rows:" }).click();
    await page.locator("[data-density=compact]").waitFor();
    for (const path of sources.keys()) {
      await page.goto(path);
      const rows = await page.evaluate(() =>
        [...document.querySelectorAll("table.list tbody tr")].map((row) => {
          const { top, height } = row.getBoundingClientRect();
          return { top, height };
        }),
      );
      // Where there are fewer, as high as the highest of them.
      const highest = Math.max(...rows.map(({ height }) => height));
      const end = (rows[0]?.top ?? 0) + (rows.length > 0 ? 20 * highest : 0);
      expect([path, end <= DESK.height]).toEqual([path, true]);
    }
    await window.close();
  });

  test("the menu on a phone shows the current page, also without scripting", async () => {
    await aSite();
    const window = await aWindow({ viewport: PHONE });
    const { page } = window;
    await logIn(window, alice);
    for (const [path, label] of [
      ["/network/groups", "Groups"],
      ["/inventory/items/view/AAA001", "Items"],
    ] as const) {
      await page.goto(path);
      const link = page.locator(".sections [aria-current]");
      expect(await link.innerText(), path).toBe(label);
      const box = await link.boundingBox();
      expect(box!.x >= 0 && box!.x + box!.width <= PHONE.width, path).toBe(true);
    }
    await window.close();
  });

  test("the menu stays where it is from page to page, and no figure is higher than what it says", async () => {
    await aSite();
    const window = await aWindow({ viewport: DESK });
    const { page } = window;
    await logIn(window, alice);
    await page.goto("/");
    const menu = () =>
      page
        .locator(".sections a")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    const atHome = await menu();
    const empty = await page
      .locator(".figure")
      .evaluateAll((all) =>
        all.map(
          (card) =>
            card.getBoundingClientRect().bottom -
            card.lastElementChild!.getBoundingClientRect().bottom,
        ),
      );
    expect(Math.max(...empty)).toBeLessThan(30);
    for (const path of ["/inventory/items", "/network/networks", "/changes"]) {
      await page.goto(path);
      expect(await menu(), path).toEqual(atHome);
    }
    await window.close();
  });

  test("rows are counted as they are selected", async () => {
    for (let at = 0; at < 22; at += 1) await anItem();
    const window = await aWindow({ viewport: DESK });
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/inventory/items");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.getByLabel("Select all on this page").check();
    await page.getByText("20 selected").waitFor();
    await page.getByLabel("All 22 that match").check();
    await page.getByText(/^All \d+ selected$/).waitFor();
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByText(/^22 items/).waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("a printed page has its columns, no text that is cut, and no buttons", async () => {
    await aSite();
    await aLocation({ name: "Injector hall, gallery above the klystrons, rack A01" });
    await anItem({ location: "Injector hall, gallery above the klystrons, rack A01" });
    const { name: host } = await aHost();
    await aGroup({ name: "archivers", hosts: [host] });
    const window = await aWindow({ viewport: { width: 703, height: 1000 } });
    const { page } = window;
    await logIn(window, alice);
    await page.emulateMedia({ media: "print" });
    for (const path of [...STILL, "/network/hosts", "/network/groups", "/inventory/scanner"]) {
      await page.goto(path);
      const pressed = await page.evaluate(() =>
        [...document.querySelectorAll("button, input, select, textarea, .button, summary")]
          .filter((one) => one.checkVisibility())
          .map((one) => one.outerHTML),
      );
      expect([path, pressed]).toEqual([path, []]);
      const empty = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>(".facts dd")]
          .filter((one) => one.checkVisibility() && one.innerText.trim() === "")
          .map((one) => one.outerHTML),
      );
      expect([path, empty]).toEqual([path, []]);
      const wider = await page.evaluate(
        () =>
          [...document.querySelectorAll("table.list")].filter(
            (table) =>
              table.scrollWidth > innerWidth + 1 || getComputedStyle(table).display !== "table",
          ).length,
      );
      expect([path, wider]).toEqual([path, 0]);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("table.list td, table.list td *")]
          .filter((one) => getComputedStyle(one).overflow !== "visible" && !one.closest("svg"))
          .filter(
            (one) =>
              one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1,
          )
          .map((one) => one.textContent),
      );
      expect([path, cut]).toEqual([path, []]);
    }
    await page.goto(`/network/hosts/view/${host}`);
    expect(await page.getByText("archivers", { exact: true }).first().isVisible()).toBe(true);
    expect(await page.getByRole("heading", { name: "Configuration" }).isVisible()).toBe(false);
    await window.close();
  });
});
