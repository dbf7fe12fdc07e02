// Alice looks for what somebody did, reads it and undoes it: by keyboard, and without scripting.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aHost, aLocation, alice, api, bob } from "../support/mod.ts";

setDefaultTimeout(180_000);

describe.skipIf(!hasChromium)("alice", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "by keyboard" : "without scripting";
    test(`finds what bob changed, opens it and undoes it, ${how}`, async () => {
      const { id } = await aLocation({ name: "Hall A" });
      await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
      await aHost({ name: "web-01" });
      const window = await aWindow({ javaScriptEnabled });
      const { page, complaints } = window;
      await logIn(window, alice);
      await page.goto("/changes");
      await page.getByRole("link", { name: "web-01" }).first().waitFor();

      await page.getByLabel("Person").focus();
      await page.keyboard.type("bob");
      if (!javaScriptEnabled) {
        await page.getByRole("button", { name: "Filter" }).focus();
        await page.keyboard.press("Enter");
      }
      await page.waitForURL(/user=bob/);
      await page.getByRole("status").getByText("1 change", { exact: true }).waitFor();
      expect(await page.locator("table.log td.who").allInnerTexts()).toEqual(["bob"]);

      if (javaScriptEnabled) {
        await page.getByLabel("Person").blur();
        await page.keyboard.press("j");
        await page.keyboard.press("o");
      } else {
        await page.locator("table.log a.open").focus();
        await page.keyboard.press("Enter");
      }
      await page.getByRole("heading", { name: /^Change \d+$/ }).waitFor();
      await page.getByText("Hall A", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Undo" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Undone", { exact: true }).first().waitFor();
      const { body } = await api(alice).get(`/inventory/locations/${id}`);
      expect(body.name).toBe("Hall A");
      expect(complaints).toEqual([]);
      await window.close();
    });
  }
});
