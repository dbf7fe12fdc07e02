import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn, type Window } from "../support/chromium.ts";
import { aGroup, aHost, alice, aNetwork, api, aScope, dave } from "../support/mod.ts";

setDefaultTimeout(180_000);

const NETWORKS = "/network/networks";
const PHONE = { width: 375, height: 740 };

async function networks(count: number) {
  const { name: scope } = await aScope();
  for (let at = 0; at < count; at += 1) {
    await aNetwork({ scope, vlan_name: `net-${String(at).padStart(2, "0")}`, description: "Old" });
  }
}

async function descriptions(): Promise<Array<string | null>> {
  const { body } = await api(alice).get(`${NETWORKS}?sort=vlan_name&per_page=100`);
  return body.map(({ description }: { description: string | null }) => description);
}

/** Whether the whole bar of the selected rows is on the screen. */
async function isBarInSight({ page }: Window): Promise<boolean> {
  const [box, size] = [await page.locator("#bulk").boundingBox(), page.viewportSize()];
  return box !== null && box.y >= 0 && box.y + box.height <= (size?.height ?? 0);
}

/** The texts of a page for screen readers, with those that the stylesheet generates. */
async function textsFor({ page }: Window): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  return nodes.map(({ name }) => String(name?.value ?? "").trim());
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test("alice changes networks by mouse: some, then all that match", async () => {
    await networks(22);
    const window = await aWindow({ viewport: PHONE });
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto(NETWORKS);
    await page.getByLabel("Select net-01").check();
    await page.getByText("1 selected").waitFor();
    expect(await isBarInSight(window)).toBe(true);
    await page.getByLabel("Select all on this page").check();
    await page.getByText("20 selected").waitFor();
    await page.locator("table.list tbody tr").last().scrollIntoViewIfNeeded();
    expect(await isBarInSight(window)).toBe(true);
    await page.getByLabel("All 22 that match").check();
    await page.getByText("All 22 selected").waitFor();
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByText("22 networks selected").waitFor();
    await page.getByLabel("Description", { exact: true }).fill("New");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("22 networks to change").waitFor();
    expect(await descriptions()).toEqual(Array(22).fill("Old"));
    await page.getByRole("button", { name: "Change 22 networks" }).click();
    await page.getByText("Changed 22 networks", { exact: true }).waitFor();
    expect(await descriptions()).toEqual(Array(22).fill("New"));
    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.getByText("Undone").first().waitFor();
    expect(await descriptions()).toEqual(Array(22).fill("Old"));
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("alice clears the description of networks by keyboard alone", async () => {
    await networks(3);
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto(NETWORKS);
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("b");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
      "Change selected",
    );
    await page.keyboard.press("Enter");
    await page.waitForURL("/lists/change");
    const name = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
    while ((await name()) !== "clear") await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Control+Enter");
    await page.getByText("2 networks to change").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      "Change 2 networks",
    );
    await page.keyboard.press("Enter");
    await page.getByText("Changed 2 networks", { exact: true }).waitFor();
    expect((await descriptions()).toSorted()).toEqual(["Old", null, null]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("dave adds hosts to a group without a script", async () => {
    await aGroup({ name: "Servers" });
    for (const name of ["web-1", "web-2", "web-3"]) await aHost({ name });
    const window = await aWindow({ javaScriptEnabled: false });
    const { page } = window;
    await logIn(window, dave);
    await page.goto("/network/hosts");
    await page.getByLabel("Select web-1").check();
    await page.getByLabel("Select web-3").check();
    expect(await isBarInSight(window)).toBe(true);
    expect(await textsFor(window)).toContain("2");
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByLabel("Add groups 1").fill("servers");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("2 hosts to change").waitFor();
    await page.getByRole("button", { name: "Change 2 hosts" }).click();
    await page.getByText("Changed 2 hosts", { exact: true }).waitFor();
    const members = async () =>
      (await api(alice).get("/network/groups?name=Servers")).body[0].hosts;
    expect(await members()).toEqual(["web-1", "web-3"]);
    await page.goto("/network/hosts");
    await page.getByLabel("Select web-1").check();
    await page.getByLabel("All 3 that match").check();
    await page.getByRole("button", { name: "Change selected" }).click();
    await page.getByText("3 hosts selected").waitFor();
    await window.close();
  });
});
