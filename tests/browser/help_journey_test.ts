import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasChromium } from "../support/chromium.ts";
import { aJourney, WAYS } from "../support/journey.ts";
import { alice, aManufacturer, aNetwork, bob } from "../support/mod.ts";

setDefaultTimeout(180_000);

const BOTH = [...new Set([...WAYS, "without scripting"] as const)];

describe.skipIf(!hasChromium)("help at hand", () => {
  test.each(BOTH)("%s, alice learns what a sensitive network is, and reads on", async (way) => {
    await aNetwork({ vlan_name: "Bench" });
    const journey = await aJourney(way, alice);
    const { page } = journey;
    await page.goto("/network/networks/edit/Bench");
    const ask = page.locator("main a.ask[href$='#sensitive-network']");
    await journey.press(ask);
    if (journey.hasScript) {
      const box = page.getByRole("dialog", { name: "Sensitive network" });
      await box.getByText("exist only for admins and auditors").waitFor();
      await page.keyboard.press("Escape");
      await box.waitFor({ state: "hidden" });
      expect(new URL(page.url()).pathname).toBe("/network/networks/edit/Bench");
      expect(await ask.evaluate((one) => one === document.activeElement)).toBe(true);
      await journey.press(ask);
      await journey.press(box.getByRole("link", { name: "More in Glossary" }));
    }
    await page.waitForURL("/help/glossary#sensitive-network");
    expect(await page.locator("tr:target").innerText()).toContain("sensitive network");
    await journey.end();
  });

  test.each(BOTH)("%s, bob is told the name that he meant", async (way) => {
    await aManufacturer({ name: "Siemens" });
    const journey = await aJourney(way, bob);
    const { page } = journey;
    await page.goto("/inventory/items/create");
    await journey.write(page.getByLabel("Serial number"), "S-1");
    const field = page.locator("#field-manufacturer");
    await journey.write(field, "Siemes");
    await journey.press(page.getByRole("button", { name: "Save", exact: true }));
    await page.locator("p.error").getByText("Did you mean").waitFor();
    if (journey.hasScript) {
      await journey.press(page.getByRole("button", { name: "Use Siemens" }));
      expect(await field.inputValue()).toBe("Siemens");
    }
    await journey.end(422);
  });
});
