import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { SEARCHES_PER_USER } from "../../db/search_limits.ts";
import { aWindow, excessWidth, hasChromium, logIn, untilLoaded } from "../support/chromium.ts";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { carol, dave, service } from "../support/mod.ts";

setDefaultTimeout(180_000);

async function aCrate(): Promise<void> {
  await aFeedNetwork();
  const mac = "02:42:ac:11:00:02";
  await add("hosts", { name: "archiver-01", device_type: "Virtual", network: "Office", mac });
}

/** Statements that wait for the table of comments. */
async function waitForComments(): Promise<number> {
  const { sql } = await service();
  const [row] = await sql`
    select count(*)::int as count from pg_locks where relation = 'comments'::regclass and not granted`;
  return row.count;
}

const VIEW = "/network/hosts/view/archiver-01";

/** Types into the one box until an option appears: a busy machine may refuse a search. */
async function typeUntil(page: Page, text: string, name: string): Promise<void> {
  const option = page.getByRole("option", { name }).first();
  for (let attempt = 1; ; attempt += 1) {
    await page.keyboard.press("/");
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
    try {
      return await option.waitFor({ timeout: 8_000 });
    } catch (error) {
      if (attempt === 4) throw error;
      await page.getByRole("combobox", { name: "Search everything" }).blur();
    }
  }
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test("carol finds a host by half a MAC address, with the keyboard alone", async () => {
    await aCrate();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, carol);
    await page.goto("/network/networks");
    await typeUntil(page, "11-00-02", "02:42:ac:11:00:02");
    const box = page.getByRole("combobox", { name: "Search everything" });
    expect(await box.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    expect(await box.getAttribute("aria-expanded")).toBe("false");
    expect(await box.inputValue()).toBe("11-00-02");
    await page.keyboard.press("ArrowDown");
    const stoodOn = page.locator("#selected-option");
    expect(await stoodOn.getAttribute("aria-selected")).toBe("true");
    expect(await box.getAttribute("aria-activedescendant")).toBe("selected-option");
    await page.keyboard.press("Enter");
    await page.waitForURL(VIEW);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("Enter opens an exact name; a mistyped one is found as well", async () => {
    await aCrate();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, carol);
    await page.goto("/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ARCHIVER-01");
    await page.keyboard.press("Enter");
    await page.waitForURL(VIEW);
    await page.goto("/");
    await page.getByRole("combobox", { name: "Search everything" }).fill("archvier-01");
    await page.getByText('No exact match for "archvier-01"').waitFor();
    await page.getByRole("option", { name: "archiver-01" }).first().click();
    await page.waitForURL(VIEW);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("Enter opens what is in the box, not the suggestion of an earlier text", async () => {
    await aCrate();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, carol);
    await page.goto("/network/networks");
    await typeUntil(page, "web", "web");
    await untilLoaded(page);
    await page.keyboard.press("ArrowDown");
    await page.locator("#selected-option").waitFor();
    await page.getByRole("combobox", { name: "Search everything" }).fill("archiver-01");
    expect(await page.locator("#selected-option").count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.waitForURL(VIEW);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("a search that was refused for its rate is repeated once", async () => {
    await aCrate();
    const { sql } = await service();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, carol);
    await page.goto("/network/networks");
    const alerts = page.locator("#alerts");
    await sql.begin(async (tx) => {
      await tx`lock table comments in access exclusive mode`;
      await page.evaluate((count) => {
        const headers = { "HX-Request": "true" };
        for (let number = 0; number < count; number += 1) {
          void fetch(`/?q=crate-${number}`, { headers });
        }
      }, SEARCHES_PER_USER);
      while ((await waitForComments()) < SEARCHES_PER_USER) await Bun.sleep(10);
      await page.keyboard.press("/");
      await page.keyboard.type("archiver");
      await alerts.getByText("Server busy, trying again").waitFor();
    });
    await page.getByRole("option", { name: "archiver-01" }).first().waitFor();
    expect(await alerts.textContent()).toBe("");
    expect(complaints.filter((text) => !text.includes("503"))).toEqual([]);
    await window.close();
  });

  test("a very long word makes no page wider than the window", async () => {
    const window = await aWindow({ viewport: { width: 375, height: 800 } });
    const { page } = window;
    await logIn(window, carol);
    const word = "x".repeat(250);
    for (const path of ["/?q=", "/network/hosts?q=", "/network/hosts?q=name:("]) {
      await page.goto(path + word);
      const wider = await excessWidth(page);
      expect([path, wider > 0]).toEqual([path, false]);
    }
    await page.goto("/network/hosts");
    await page.locator(".help summary").click();
    const widths = await page
      .locator(".help :is(dt, dd)")
      .evaluateAll((all) => all.map((one) => one.clientWidth));
    expect(Math.min(...widths)).toBeGreaterThan(120);
    await window.close();
  });

  test("dave follows a free address to the form that registers a host there", async () => {
    await aCrate();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto("/");
    await page.getByRole("combobox", { name: "Search everything" }).fill("10.1.1.77");
    await page.getByText("10.1.1.77: in Office, free").waitFor();
    await page.getByRole("option", { name: "Add host at 10.1.1.77" }).click();
    await page.waitForURL(/\/network\/hosts\/create\?network=Office&ip=10\.1\.1\.77$/);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("carol corrects a query that cannot be parsed; no rows are shown meanwhile", async () => {
    await aCrate();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, carol);
    await page.goto("/network/hosts");
    const rows = page.locator("#list tbody tr");
    expect(await rows.count()).toBeGreaterThan(0);
    const box = page.locator("#query");
    await box.fill("name:(arch* OR ");
    await page.getByText("This query is not valid").waitFor();
    await page.locator("#query[aria-invalid=true]").waitFor();
    expect(await page.locator("#understood mark").count()).toBe(1);
    await page.locator("#list").getByText("0 hosts", { exact: true }).waitFor();
    expect(await rows.count()).toBe(0);
    expect(new URL(page.url()).search).toBe("");
    await box.fill("name:(arch* OR nothing)");
    await page.locator("#understood").getByText("begins with").waitFor();
    await page.locator("#list").getByText("1 host", { exact: true }).waitFor();
    expect(await page.locator("#query[aria-invalid]").count()).toBe(0);
    expect(await page.locator("#understood .error").count()).toBe(0);
    await page.reload();
    expect(await rows.count()).toBe(1);
    await page.locator("summary", { hasText: "Save view" }).click();
    await page.getByLabel("Name of the view").fill("Archivers");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Archivers" }).waitFor();
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    await window.close();
  });
});
