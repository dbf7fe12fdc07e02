// What every list can do: order, filters, views, columns, density, files, and changes of all that match.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { hasChromium } from "../support/chromium.ts";
import { aJourney, type Journey, WAYS } from "../support/journey.ts";
import { aLocation, anItem, api, aStatus, bob, carol, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

const LIST = "/inventory/items";

/** Four items, of which three are in use. */
async function someItems(): Promise<void> {
  await Promise.all([aStatus({ name: "In use" }), aLocation({ name: "Hall A" })]);
  await inOrder(
    ["S-2", "S-4", "S-1"].map((one) => () => anItem({ serial_number: one, status: "In use" })),
  );
  await anItem({ serial_number: "S-3" });
}

function serialsOn({ page }: Journey): Promise<string[]> {
  return page.locator("#list td[data-label='Serial number']").allInnerTexts();
}

function isSorted({ page }: Journey, name: string, direction: string): Promise<void> {
  return page.locator(`th[aria-sort=${direction}]`, { hasText: name }).waitFor();
}

async function sort(own: Journey, direction: string): Promise<void> {
  const { page, press } = own;
  await press(page.locator("th").getByRole("link", { name: "Serial number" }));
  await isSorted(own, "Serial number", direction);
}

async function filterByStatus({ page, hasScript, press, choose }: Journey): Promise<void> {
  await choose(page.getByRole("combobox", { name: "Status" }), "In use");
  if (!hasScript) await press(page.getByRole("button", { name: "Filter" }));
  await page.waitForURL(/status=In\+use/);
  await page.getByRole("status").getByText("3 items").waitFor();
}

async function clear({ page, press }: Journey): Promise<void> {
  await press(page.getByRole("link", { name: "Clear filters" }));
  await page.getByRole("status").getByText("4 items").waitFor();
}

async function open({ page, press }: Journey, menu: string): Promise<void> {
  await press(page.locator("#list summary", { hasText: menu }));
}

describe.skipIf(!hasChromium)("in a list", () => {
  test.each(WAYS)("bob sorts, filters, and keeps the view, %s", async (way) => {
    await someItems();
    const own = await aJourney(way, bob);
    const { page, press, write, end } = own;
    await page.goto(LIST);
    await isSorted(own, "Label", "ascending");
    await sort(own, "ascending");
    expect(await serialsOn(own)).toEqual(["S-1", "S-2", "S-3", "S-4"]);
    await sort(own, "descending");
    await filterByStatus(own);
    expect(await serialsOn(own)).toEqual(["S-4", "S-2", "S-1"]);

    await open(own, "Save view");
    await write(page.getByLabel("Name of the view"), "Running");
    await press(page.getByLabel("Share with everybody"));
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByText("Saved view Running").waitFor();
    expect((await (await browser(carol)).get(LIST)).text).toContain("Running");

    await clear(own);
    await isSorted(own, "Serial number", "descending");
    await press(page.getByLabel("Saved views").getByRole("link", { name: "Running" }));
    await page.getByRole("status").getByText("3 items").waitFor();
    expect(await serialsOn(own)).toEqual(["S-4", "S-2", "S-1"]);
    await press(page.getByRole("button", { name: "Delete the view Running" }));
    await page.getByText("Deleted the view").waitFor();
    expect(await page.getByLabel("Saved views").count()).toBe(0);
    await end();
  });

  test.each(WAYS)("bob sets up his list, and it stays so, %s", async (way) => {
    await someItems();
    const own = await aJourney(way, bob);
    const { page, hasScript, press, download, end } = own;
    await page.goto(LIST);
    await press(page.getByRole("button", { name: "Rows: comfortable" }));
    await page.locator("[data-density=compact]").waitFor();
    await open(own, "Columns");
    await press(page.getByLabel("Manufacturer", { exact: true }).last());
    if (!hasScript) await press(page.getByRole("button", { name: "Show" }));
    const heading = page.locator("th", { hasText: "Manufacturer" });
    await heading.waitFor({ state: "detached" });
    await page.goto("/");
    await page.goto(LIST);
    expect(await heading.count()).toBe(0);
    await page.locator("[data-density=compact]").waitFor();

    await filterByStatus(own);
    await open(own, "Export");
    const file = await download(page.getByRole("link", { name: "CSV" }));
    expect(file.trimEnd().split(/\r?\n/)).toHaveLength(4);
    expect(file).not.toContain("S-3");
    await end();
  });

  test.each(WAYS)("bob changes all that match, %s", async (way) => {
    await someItems();
    const own = await aJourney(way, bob);
    const { page, hasScript, isByKeyboard, press, write, end } = own;
    await page.goto(`${LIST}?status=In+use&per_page=2`);
    if (isByKeyboard) {
      await page.keyboard.press("j");
      await page.keyboard.press("x");
    } else {
      await press(page.locator("#list td").getByRole("checkbox").first());
    }
    if (hasScript) {
      await page.getByText("1 selected").waitFor();
      await press(page.getByLabel("Select all on this page"));
      await page.getByText("2 selected").waitFor();
    }
    await press(page.getByLabel("All 3 that match"));
    if (hasScript) await page.getByText("All 3 selected").waitFor();
    await press(page.getByRole("button", { name: "Change selected" }));
    await page.getByText("3 items selected").waitFor();
    await write(page.getByLabel("Location", { exact: true }), "Hall A");
    await press(page.getByRole("button", { name: "Preview" }));
    await page.getByText("3 items with new values").waitFor();
    await press(page.getByRole("button", { name: "Change 3 items" }));
    await page.getByText("Changed 3 items").waitFor();
    const { body } = await api(bob).get("/inventory/items?location=Hall A");
    expect(body.every((one: { status: string }) => one.status === "In use")).toBe(true);
    expect(body).toHaveLength(3);
    await end();
  });
});
