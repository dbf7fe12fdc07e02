import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aJourney, WAYS } from "../support/journey.ts";
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
  test.each(WAYS)(
    "alice steps with n and p, edits, deletes an item and undoes it, %s",
    async (way) => {
      await inOrder(["AAA001", "AAA002"].map((ics_id) => () => anItem({ ics_id })));
      const own = await aJourney(way, alice, { timezoneId: "Asia/Tokyo", locale: "en-GB" });
      const { page, hasScript, press, write, shortcut, confirm, end } = own;
      await page.goto("/inventory/items?sort=ics_id");
      await press(page.getByRole("link", { name: "AAA001" }));
      await page.waitForURL(/view\/AAA001/);
      await shortcut("n", page.getByRole("link", { name: "Next" }));
      await page.waitForURL(/view\/AAA002/);
      await shortcut("p", page.getByRole("link", { name: "Previous" }));
      await page.waitForURL(/view\/AAA001/);
      await page.goBack();
      const exact = await page.locator("#history time").first().getAttribute("title");
      expect(exact).toEndWith(hasScript ? "GMT+9" : "UTC");
      await shortcut("e", page.getByRole("link", { name: "Edit", exact: true }));
      await page.waitForURL(/edit\/AAA002/);
      await page.locator("input[name=serial_number]:focus").waitFor();
      if (hasScript) {
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await page.waitForURL(`**${VIEW}/AAA002`);
        await page.keyboard.press("e");
        await page.waitForURL(/edit\/AAA002/);
      }
      await write(page.getByLabel("Quantity"), "7");
      if (hasScript) await page.keyboard.press("Control+Enter");
      else await press(page.getByRole("button", { name: "Save" }));
      await page.getByText("Saved AAA002: quantity").waitFor();

      await press(page.getByRole("button", { name: "Delete this item" }));
      await page.getByText("The deletion can be undone").waitFor();
      await confirm("Delete");
      await page.getByText("Deleted AAA002").waitFor();
      expect((await api(bob).get("/inventory/items/AAA002")).status).toBe(404);
      await press(page.locator(".toast").getByRole("button", { name: "Undo" }));
      await page.getByRole("link", { name: "AAA002" }).waitFor();
      expect((await api(bob).get("/inventory/items/AAA002")).status).toBe(200);
      await end();
    },
  );

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
