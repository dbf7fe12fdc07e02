// From "Add site field" to "found by it".
import { describe, expect, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { MOUSE_WAYS } from "../support/journey.ts";
import { alice, anItem, api } from "../support/mod.ts";

describe.skipIf(!hasChromium)("alice defines a field", () => {
  test.each(MOUSE_WAYS)(
    "fills it in, sees it, finds by it, and changes many, %s",
    async (way) => {
      const items = ["AAA001", "AAA002", "AAA003"];
      for (const ics_id of items) await anItem({ ics_id });
      const window = await aWindow({ javaScriptEnabled: way === "with scripting" });
      const { page, complaints } = window;
      await logIn(window, alice);
      await page.goto("/admin");
      await page.getByRole("link", { name: "Site fields" }).last().click();
      await page.getByRole("link", { name: "Add site field" }).first().click();
      await page.locator("[name=label]").fill("Radiation class");
      await page.locator("[name=key]").fill("Rp class");
      await page.locator("[name=type]").selectOption("choice");
      await page.locator("[name=choices]").fill("A=Controlled\nB=Free");
      await page.locator("[name=group]").fill("Safety");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("1 field needs attention").waitFor();
      await page.locator("[name=key]").fill("rp_class");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("No item has a value yet.").waitFor();

      await page.goto("/inventory/items/edit/AAA001");
      await page.getByLabel("Radiation class").selectOption({ label: "Controlled" });
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.locator("dl.facts").getByText("Controlled").waitFor();
      expect(await page.locator("dl.facts .group").allTextContents()).toEqual(["Safety"]);
      await page.locator("#history").getByText("Radiation class").waitFor();

      await page.goto("/inventory/items?site.rp_class=A");
      await page.getByText("1 item", { exact: true }).waitFor();
      await page.getByText("Radiation class A").waitFor();
      await page.goto("/inventory/items?q=rp_class:A&cols=ics_id&cols=site.rp_class");
      await page.getByRole("cell", { name: "Controlled" }).waitFor();

      await page.goto("/inventory/items");
      for (const ics_id of items) await page.getByLabel(`Select ${ics_id}`).check();
      await page.getByRole("button", { name: "Change selected" }).click();
      await page.getByLabel("Radiation class", { exact: true }).selectOption({ label: "Free" });
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByText("3 items with new values").waitFor();
      await page.getByRole("button", { name: "Change 3 items" }).click();
      await page.getByText(/Changed 3 items/).waitFor();
      const found = await api(alice).get("/inventory/items?site.rp_class=B");
      expect(found.body).toHaveLength(3);

      await page.goto("/site_fields/view/item.rp_class");
      await page.getByRole("link", { name: "3 items with a value" }).click();
      await page.getByText("3 items", { exact: true }).waitFor();
      expect(complaints.filter((one) => !one.includes("422"))).toEqual([]);
      await window.close();
    },
    180_000,
  );
});
