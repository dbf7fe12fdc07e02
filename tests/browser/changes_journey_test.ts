// Alice looks for what somebody did, keeps it as a file, reads it and undoes it.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasChromium } from "../support/chromium.ts";
import { aJourney, WAYS } from "../support/journey.ts";
import { aHost, aLocation, alice, api, bob } from "../support/mod.ts";

setDefaultTimeout(180_000);

describe.skipIf(!hasChromium)("alice", () => {
  test.each(WAYS)("finds what bob changed, opens it and undoes it, %s", async (way) => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    await aHost({ name: "web-01" });
    const { page, hasScript, isByKeyboard, press, choose, download, end } = await aJourney(
      way,
      alice,
    );
    await page.goto("/changes");
    await page.getByRole("link", { name: "web-01" }).first().waitFor();

    await choose(page.getByLabel("Person"), "bob");
    if (!hasScript) await press(page.getByRole("button", { name: "Filter" }));
    await page.waitForURL(/user=bob/);
    await page.getByRole("status").getByText("1 change", { exact: true }).waitFor();
    expect(await page.locator("table.log td.who").allInnerTexts()).toEqual(["bob"]);
    const file = await download(page.getByRole("link", { name: "CSV" }));
    expect(file).toContain("Hall B");
    expect(file).not.toContain("web-01");

    if (isByKeyboard) {
      await page.keyboard.press("j");
      await page.keyboard.press("o");
    } else {
      await press(page.locator("table.log a.open"));
    }
    await page
      .getByRole("heading", { name: /^Change of \d{1,2} \w+ \d{4}, \d\d:\d\d UTC$/ })
      .waitFor();
    await page.getByText("Hall A", { exact: true }).first().waitFor();
    await press(page.getByRole("button", { name: "Undo" }));
    await page.getByText("Undone", { exact: true }).first().waitFor();
    const { body } = await api(alice).get(`/inventory/locations/${id}`);
    expect(body.name).toBe("Hall A");
    await end();
  });
});
