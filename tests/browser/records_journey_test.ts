import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aHost, aLocation, alice, aNetwork, anItem, api, bob, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

const VIEW = "/inventory/items/view";

/** The buttons of the page that are smaller than a fingertip needs: 24 by 24 pixels. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("main :is(button, summary, a.button)")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width > 2 && (width < 24 || height < 24);
      })
      .map((one) => `${location.pathname} ${one.outerHTML.slice(0, 120)}`),
  );
}

describe.skipIf(!hasChromium)("on the page of a record", () => {
  test("alice steps with n and p, edits with e, and deletes an item and undoes it", async () => {
    await inOrder(["AAA001", "AAA002"].map((ics_id) => () => anItem({ ics_id })));
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/inventory/items?sort=ics_id");
    await page.getByRole("link", { name: "AAA001" }).click();
    await page.waitForURL(/view\/AAA001/);
    await page.keyboard.press("n");
    await page.waitForURL(/view\/AAA002/);
    await page.keyboard.press("e");
    await page.waitForURL(/edit\/AAA002/);
    await page.locator("input[name=serial_number]:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.waitForURL(`**${VIEW}/AAA002`);
    await page.getByRole("button", { name: "Delete this item" }).click();
    await page.getByText("The deletion can be undone").waitFor();
    await page.locator("#confirm [value=ok]").click();
    await page.getByText("AAA002 is deleted").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "AAA002" }).waitFor();
    expect((await api(bob).get("/inventory/items/AAA002")).status).toBe(200);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("times have the exact time in the zone of the browser", async () => {
    await anItem({ ics_id: "AAA001" });
    const window = await aWindow({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
    const { page } = window;
    await logIn(window, bob);
    await page.goto(`${VIEW}/AAA001`);
    const time = page.locator("#history time").first();
    expect(await time.innerText()).toMatch(/^just now$|minutes? ago$/);
    const exact = await time.getAttribute("title");
    expect(exact).toEndWith("GMT+9");
    const utc = new Date((await time.getAttribute("datetime")) ?? "");
    const hour = String((utc.getUTCHours() + 9) % 24).padStart(2, "0");
    expect(exact).toContain(` ${hour}:`);
    await window.close();
  });

  test("buttons are large enough for a finger", async () => {
    const { vlan_name } = await aNetwork();
    await aLocation({ name: "Hall A" });
    const host = await aHost({ name: "bench-01", network: vlan_name, mac: "02:42:42:00:00:01" });
    const item = await anItem({ ics_id: "AAA001", location: "Hall A", host_id: host.id });
    await anItem({ ics_id: "AAA002", parent_id: item.id });
    await api(bob).post("/inventory/macs", { address: "02:42:42:00:00:02", item_id: item.id });
    const window = await aWindow();
    const { page } = window;
    await logIn(window, alice);
    const small: string[] = [];
    for (const path of [
      "/inventory/items",
      `${VIEW}/AAA001`,
      `${VIEW}/AAA002`,
      "/inventory/attributes/location/Hall%20A",
      "/network/hosts",
      "/network/hosts/view/bench-01",
      "/network/interfaces",
    ]) {
      await page.goto(path);
      small.push(...(await tooSmall(page)));
    }
    expect(small).toEqual([]);
    await window.close();
  });
});
