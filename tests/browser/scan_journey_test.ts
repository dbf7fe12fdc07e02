import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aCamera } from "../support/camera.ts";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aJourney, OTHER_WAYS, WAYS } from "../support/journey.ts";
import { aLocation, aModel, anItem, aStatus, bob, carol, inOrder } from "../support/mod.ts";
import { itemsBy } from "../support/scan_desk.ts";

setDefaultTimeout(180_000);

const SCANNER = "/inventory/scanner";

/** A scanner sends a key each five milliseconds. The times are given, because a busy machine delivers keys late. */
const BETWEEN_KEYS = 0.005;

/** Types like a keyboard scanner: fast, with Enter at the end. */
async function burst(page: Page, texts: string[]): Promise<void> {
  const keyboard = await page.context().newCDPSession(page);
  for (const text of texts) {
    let timestamp = Date.now() / 1000;
    for (const key of [...text, "Enter"]) {
      timestamp += BETWEEN_KEYS;
      const code = key === "Enter" ? { text: "\r", windowsVirtualKeyCode: 13 } : { text: key };
      await keyboard.send("Input.dispatchKeyEvent", { type: "keyDown", key, timestamp, ...code });
      await keyboard.send("Input.dispatchKeyEvent", { type: "keyUp", key, timestamp });
    }
  }
  await keyboard.detach();
}

/** Waits until the page is loaded; earlier keys would be lost. */
async function open(page: Page): Promise<void> {
  await page.goto(SCANNER);
  await page.locator("html[data-keys=off] #scan:focus").waitFor();
}

/** Types a code by hand, and waits until the desk is ready for the next one. */
async function type(page: Page, code: string): Promise<void> {
  const field = page.locator("#scan:focus");
  await field.waitFor();
  const before = Number(await page.locator("#scanned").getAttribute("data-count"));
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
  await page.locator(`#scanned[data-count="${before + 1}"]`).waitFor();
}

describe.skipIf(!hasChromium)("the scan desk in the browser", () => {
  test("registers a crate of ten items from fast key input", async () => {
    await aLocation({ name: "Store" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await open(page);
    const serials = Array.from({ length: 10 }, (_, index) => `CARD-${index}`);
    await burst(page, [
      "CSE:location:Store",
      "CSE:action:Register",
      "BBB001",
      "CRATE-1",
      "CSE:action:Set as parent",
      ...serials,
    ]);
    await page.getByText("11 items to add").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("Added 11 items").waitFor();
    const [crate] = await itemsBy(["CRATE-1"]);
    expect(crate).toMatchObject({ ics_id: "BBB001", location: "Store" });
    expect(crate.children).toHaveLength(10);
    const cards = await itemsBy(serials);
    expect(cards.map((one: { serial_number: string }) => one.serial_number)).toEqual(serials);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("moves forty items after one scan of their location", async () => {
    await aLocation({ name: "Hall A" });
    const serials = Array.from({ length: 40 }, (_, index) => `S${index}`);
    const items = await inOrder(serials.map((serial_number) => () => anItem({ serial_number })));
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await open(page);
    await burst(page, ["CSE:location:Hall A", ...items.map(({ ics_id }) => ics_id)]);
    await page.getByText("40 items to change").waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Changed 40 items").waitFor();
    const moved = await itemsBy(serials);
    expect(moved.filter(({ location }: any) => location === "Hall A")).toHaveLength(40);
    await page.getByRole("link", { name: "Show or undo the change" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    const back = await itemsBy(serials);
    expect(back.filter(({ location }: any) => location === null)).toHaveLength(40);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("receives scans wherever the focus is, and keeps what was typed by hand", async () => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    await aStatus({ name: "Broken" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await open(page);
    await page
      .getByRole("combobox", { name: "Search everything" })
      .pressSequentially("pump", { delay: 90 });
    await page.waitForTimeout(100);
    await burst(page, ["CSE:status:Broken"]);
    await page.getByText("Set status Broken").waitFor();
    expect(page.url()).toEndWith(SCANNER);
    expect(await page.getByRole("combobox", { name: "Search everything" }).inputValue()).toBe(
      "pump",
    );
    await page.getByRole("button", { name: "Use Update" }).focus();
    await burst(page, ["AAA001"]);
    await page.getByText("1 item to change").waitFor();
    await page.getByRole("button", { name: "Undo last scan" }).click();
    await page.getByText("1 item to change").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("loses no scan while the server is unreachable", async () => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    await anItem({ serial_number: "S2", ics_id: "AAA002" });
    const window = await aWindow();
    const { page } = window;
    await logIn(window, bob);
    await open(page);
    await page.context().setOffline(true);
    await burst(page, ["AAA001"]);
    await page.getByText("The server did not respond").waitFor();
    await page.context().setOffline(false);
    await burst(page, ["AAA002"]);
    await page.locator("#scanned tbody tr").nth(1).waitFor();
    expect(await page.locator("#scanned td a.open").allInnerTexts()).toEqual(["AAA002", "AAA001"]);
    await window.close();
  });

  test.each(WAYS)("labels what was registered, %s", async (way) => {
    await aLocation({ name: "Store" });
    const model = "PowerEdge R750xd with rails";
    await aModel({ name: model });
    const { page, press, choose, shortcut, end } = await aJourney(way, bob);
    await page.goto(SCANNER);
    // Each code is typed into the field, which keeps the focus for the next one.
    for (const code of ["CSE:location:Store", `CSE:model:${model}`, "CSE:action:Register"]) {
      await type(page, code);
    }
    await type(page, "CARD-1");
    await type(page, "CARD-2");
    await page.getByText("2 items to add").waitFor();
    expect(await page.locator("#scanned td:nth-child(3)").allInnerTexts()).toEqual([
      `location Store, model ${model}`,
      `location Store, model ${model}`,
    ]);
    await shortcut("Control+Enter", page.getByRole("button", { name: "Apply" }));
    await page.getByText("Added 2 items").waitFor();
    await page.locator(".applied").getByRole("link", { name: "ZZA000" }).waitFor();
    await press(page.getByRole("link", { name: "Print 2 labels" }));
    await page.waitForURL(/labels\?ics_id=ZZA000&ics_id=ZZA001/);
    await choose(page.getByLabel("Paper"), "Brother TZe tape, 18 mm");
    // By keys a select passes other options, so that it waits for the button.
    if (way !== "with scripting") await press(page.getByRole("button", { name: "Show" }));
    const labels = page.locator(".paper.brother-tze-18 .one");
    await labels.nth(1).waitFor();
    const text = (await labels.first().locator("text").allTextContents()).join(" ");
    expect(text.replaceAll("- ", "-")).toContain(model);
    await end();
  });

  test.each(OTHER_WAYS)("tells a reader why before they scan, %s", async (way) => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const { page, press, end } = await aJourney(way, carol);
    await page.goto("/inventory");
    await press(page.getByLabel("Sections").getByRole("link", { name: "Scan desk" }));
    await page.getByText("Applying scans needs the group inventory").waitFor();
    await type(page, "AAA001");
    expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await press(page.locator("#scanned").getByRole("link", { name: "AAA001" }));
    await page.waitForURL("/inventory/items/view/AAA001");
    await end();
  });

  test("works without scripting", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const window = await aWindow({ javaScriptEnabled: false });
    const { page } = window;
    await logIn(window, bob);
    await page.goto(SCANNER);
    await page.locator("#scan:focus").waitFor();
    await burst(page, ["CSE:location:Hall A"]);
    await page.getByText("Set location Hall A").waitFor();
    await page.locator("#scan:focus").waitFor();
    await burst(page, ["AAA001"]);
    await page.getByText("1 item to change").waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Changed 1 item").waitFor();
    expect((await itemsBy(["S1"]))[0].location).toBe("Hall A");
    await window.close();
  });

  test("reads a code through the camera, once, in the worker of the page, and again once the camera was closed", async () => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const camera = await aCamera("AAA001");
    const { page, complaints } = camera;
    await logIn(camera, bob);
    await page.goto(SCANNER);
    await page.getByRole("button", { name: "Camera" }).click();
    await page.locator("#scanned td a.open").waitFor();
    expect(await page.locator("#scanned td a.open").innerText()).toBe("AAA001");
    await page.waitForTimeout(600);
    expect(await page.locator("#scanned").getAttribute("data-count")).toBe("1");
    await page.getByRole("button", { name: "Camera" }).click();
    await page.locator("#camera").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Camera" }).click();
    await page.locator('#scanned[data-count="2"]').waitFor();
    expect(complaints).toEqual([]);
    await camera.close();
  });

  test("shows a message where there is no camera", async () => {
    const window = await aWindow();
    const { page } = window;
    await logIn(window, bob);
    await page.goto(SCANNER);
    await page.getByRole("button", { name: "Camera" }).click();
    await page.getByText(/No camera found|Camera blocked/).waitFor();
    await window.close();
  });
});
