import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aHost, aLocation, anItem, api, bob, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

const VIEW = "/inventory/items/view";

/** Chooses a suggestion of a field, with the events of a browser. */
async function choose(page: Page, label: string, value: string): Promise<void> {
  await page.getByLabel(label).evaluate((input, chosen) => {
    (input as HTMLInputElement).value = chosen;
    input.dispatchEvent(
      new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }),
    );
  }, value);
}

describe.skipIf(!hasChromium)("on the page of an item", () => {
  test("bob moves a rack by choosing a location, and undoes it, while he writes a comment", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    await anItem({ ics_id: "AAA002", parent_id: rack.id });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto(`${VIEW}/AAA001`);
    await page.getByLabel("New comment").fill("On the way");
    await page.locator("summary", { hasText: "Change location" }).click();
    await page.locator("input[name=location]:focus").waitFor();
    await page.keyboard.type("Nowhere");
    await page.keyboard.press("Enter");
    await page.getByText('There is no location "Nowhere"').waitFor();
    await choose(page, "New location", "Hall B");
    await page.getByText("Moved AAA001 and 1 item").waitFor();
    expect(await page.locator("dl.facts").innerText()).toContain("Hall B");
    expect(await page.locator("#history li").first().innerText()).toContain("Hall B");
    expect(await page.getByLabel("New comment").inputValue()).toBe("On the way");
    await page.getByLabel("New comment").fill("");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect(page.url()).toEndWith(`${VIEW}/AAA001`);
    const { body } = await api(bob).get("/inventory/items?location=Hall A");
    expect(body).toHaveLength(2);
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    await window.close();
  });

  test("bob adds and removes a MAC address", async () => {
    await anItem({ ics_id: "AAA001" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto(`${VIEW}/AAA001`);
    await page.locator("summary", { hasText: "Add" }).click();
    await page.locator("textarea[name=macs]:focus").fill("0242.4200.0001");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Added 1 MAC address").waitFor();
    await page.getByRole("button", { name: "Remove 02:42:42:00:00:01" }).click();
    await page.getByText("Removed 1 MAC address").waitFor();
    await page.locator("dl.facts").getByText("02:42:42").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("bob previews rows with Space, opens one and steps through the list with n and p", async () => {
    await inOrder(["AAA003", "AAA002", "AAA001"].map((ics_id) => () => anItem({ ics_id })));
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto("/inventory/items?sort=ics_id&q=AAA");
    await page.keyboard.press("j");
    await page.locator("a.open:focus").waitFor();
    await page.keyboard.press("Space");
    const preview = page.locator("#preview[open]");
    await preview.getByRole("heading", { name: "AAA001" }).waitFor();
    await page.keyboard.press("Space");
    await preview.waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    await preview.getByRole("heading", { name: "AAA002" }).waitFor();
    await page.keyboard.press("Escape");
    await preview.waitFor({ state: "detached" });
    await page.keyboard.press("o");
    await page.getByText("2 of 3").waitFor();
    await page.keyboard.press("n");
    await page.getByText("3 of 3").waitFor();
    expect(new URL(page.url()).pathname).toBe(`${VIEW}/AAA003`);
    await page.keyboard.press("p");
    await page.getByText("2 of 3").waitFor();
    await page.keyboard.press("p");
    await page.getByText("1 of 3").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("bob finds a host by typing, and restores a deleted comment", async () => {
    await aHost({ name: "sw-1" });
    await anItem({ ics_id: "AAA001" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto("/inventory/items/edit/AAA001");
    await page.getByLabel("Host").pressSequentially("sw");
    await page.locator("#field-host-names option[value=sw-1]").waitFor({ state: "attached" });
    await page.getByLabel("Host").fill("sw-1");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Saved AAA001: host").waitFor();
    await page.getByLabel("New comment").fill("Fan is loud");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByRole("button", { name: "Delete this comment" }).click();
    await page.locator("dialog#confirm").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted the comment").waitFor();
    await page.locator(".toast").last().getByRole("button", { name: "Undo" }).click();
    await page.locator(".thread").getByText("Fan is loud").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });
});
