import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aLocation, alice, anItem, api, aStatus, bob, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

const VIEW = "/inventory/items/view";

describe.skipIf(!hasChromium)("in the browser", () => {
  test("two people edit one item, and no change is lost", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await anItem({ ics_id: "AAA001", location: "Hall A", quantity: 1 });
    const [first, second] = [await aWindow(), await aWindow()];
    await logIn(first, alice);
    await logIn(second, bob);
    for (const { page } of [first, second]) await page.goto("/inventory/items/edit/AAA001");
    await first.page.getByLabel("Location").fill("Hall B");
    await first.page.getByRole("button", { name: "Save" }).click();
    await first.page.getByText("Saved AAA001: location").waitFor();
    await second.page.getByLabel("Quantity").fill("7");
    await second.page.getByRole("button", { name: "Save" }).click();
    const conflict = second.page.getByRole("alert").filter({ hasText: "alice saved this item" });
    await conflict.waitFor();
    expect((await api(bob).get("/inventory/items/AAA001")).body.quantity).toBe(1);
    expect(await conflict.locator("tbody tr").allInnerTexts()).toEqual([
      "Quantity\t1\t1\t7",
      "Location\tHall A\tHall B\tHall A",
    ]);
    expect(await second.page.getByLabel("Location").inputValue()).toBe("Hall B");
    await second.page.getByRole("button", { name: "Save" }).click();
    await second.page.getByText("Saved AAA001: quantity").waitFor();
    const { body } = await api(bob).get("/inventory/items/AAA001");
    expect(body).toMatchObject({ quantity: 7, location: "Hall B" });
    expect(first.complaints).toEqual([]);
    expect(second.complaints.filter((text) => !text.includes("412"))).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  test("bob moves a rack together with its contents", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const crate = await anItem({ ics_id: "AAA002", parent_id: rack.id });
    await anItem({ ics_id: "AAA003", parent_id: crate.id });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto(`${VIEW}/AAA001`);
    await page.keyboard.press("e");
    await page.getByLabel("Location").fill("hall b");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Saved AAA001: location").waitFor();
    await page.locator(".tree").getByRole("link", { name: "AAA003" }).click();
    await page.waitForURL(`${VIEW}/AAA003`);
    expect(await page.locator("dl.facts").innerText()).toContain("Hall B");
    expect(await page.locator(".timeline > li").first().innerText()).toContain("Hall A");
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("bob registers two similar items by the keyboard, and is warned of a duplicate serial number", async () => {
    await aStatus({ name: "In stock" });
    await anItem({ ics_id: "AAA001", serial_number: "S-1" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto("/inventory/items");
    await page.keyboard.press("c");
    await page.waitForURL("/inventory/items/create");
    await page.locator("#field-serial_number:focus").waitFor();
    await page.keyboard.type("S-1");
    await page.locator("#twins").getByRole("link", { name: "AAA001" }).waitFor();
    await page.keyboard.type("0");
    await page.locator("#twins .note").waitFor({ state: "detached" });
    await page.getByLabel("Manufacturer").fill("Wiener");
    await page.getByLabel("Status").pressSequentially("in st");
    await page
      .locator("#field-status-names option[value='In stock']")
      .waitFor({ state: "attached" });
    await page.getByLabel("Status").fill("In stock");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByLabel("Create manufacturer").check();
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByText("Added ZZA000").waitFor();
    expect(await page.getByLabel("Manufacturer").inputValue()).toBe("Wiener");
    await page.getByLabel("Serial number").fill("S-11");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(`${VIEW}/ZZA001`);
    const { body } = await api(bob).get("/inventory/items?manufacturer=Wiener&status=In stock");
    expect(body).toHaveLength(2);
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    await window.close();
  });

  test("alice filters, selects rows, previews the changes and applies them", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await inOrder(
      ["AAA001", "AAA002", "AAB001"].map((ics_id) => () => anItem({ ics_id, location: "Hall A" })),
    );
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/inventory/items");
    await page.getByLabel("Filter items").pressSequentially("AAA");
    await page.getByText("2 items").waitFor();
    await page.getByRole("combobox", { name: "Location" }).fill("Hall A");
    await page.waitForURL(/location=Hall\+A/);
    expect(new URL(page.url()).search).toBe("?q=AAA&location=Hall+A");
    expect(await page.getByRole("button", { name: "Change selected" }).isVisible()).toBe(false);
    for (const id of ["AAA001", "AAA002"]) await page.getByLabel(`Select ${id}`).check();
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByLabel("Location", { exact: true }).fill("Hall B");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("2 items with new values").waitFor();
    await page.getByRole("button", { name: "Change 2 items" }).click();
    await page.getByText("Changed 2 items").waitFor();
    const { body } = await api(alice).get("/inventory/items?location=Hall B&sort=ics_id");
    expect(body.map(({ ics_id }: { ics_id: string }) => ics_id)).toEqual(["AAA001", "AAA002"]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("bob adds a comment in place, edits it and deletes it", async () => {
    await anItem({ ics_id: "AAA001" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto(`${VIEW}/AAA001`);
    await page.getByLabel("New comment").fill("Fan is loud");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.locator(".thread").getByText("Fan is loud").waitFor();
    await page.getByRole("link", { name: "Edit this comment" }).click();
    await page.getByLabel("Comment", { exact: true }).fill("Fan was loud");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".thread .prose").getByText("Fan was loud").waitFor();
    await page.getByRole("button", { name: "Delete this comment" }).click();
    await page.locator("dialog#confirm").getByRole("button", { name: "Delete" }).click();
    await page.locator(".thread").waitFor({ state: "detached" });
    expect(page.url()).toEndWith(`${VIEW}/AAA001`);
    expect(complaints).toEqual([]);
    await window.close();
  });
});
