import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { alice, aNetwork, anInterface, api, aScope, dave } from "../support/mod.ts";

setDefaultTimeout(180_000);

const BENCH = { vlan_name: "Bench", vlan_id: 100, address: "10.8.0.0/24" };

async function aBench() {
  await aScope({ name: "Laboratory", first_vlan: 100, last_vlan: 199, supernet: "10.8.0.0/16" });
  return aNetwork({ scope: "Laboratory", ...BENCH });
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test("alice shrinks a network and sees which address would be outside", async () => {
    const { id } = await aBench();
    await anInterface({ network: "Bench", name: "crate", ip: "10.8.0.200" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/network/networks/view/Bench");
    await page.keyboard.press("e");
    await page.getByLabel("Address", { exact: true }).fill("10.8.0.0/25");
    await page.keyboard.press("Tab");
    await page.getByText("The interface crate at 10.8.0.200 would be outside").waitFor();
    expect(await page.getByLabel("Last address").inputValue()).toBe("10.8.0.125");
    expect(await page.getByLabel("Gateway").inputValue()).toBe("10.8.0.126");
    expect(await page.locator(".outside").innerText()).toContain("10.8.0.200");
    expect(await page.locator("form[data-changed]").count()).toBe(1);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 field needs attention").waitFor();
    expect((await api(alice).get(`/network/networks/${id}`)).body.address).toBe("10.8.0.0/24");
    await page.getByLabel("Address", { exact: true }).fill("10.8.0.0/24");
    await page.getByLabel("Last address").fill("10.8.0.220");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved Bench").waitFor();
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    await window.close();
  });

  test("alice creates a network from its scope, with most fields filled in", async () => {
    await aBench();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/network/networks/create");
    await page.getByLabel("Scope").selectOption("Laboratory");
    await page.locator("#field-address[value='10.8.1.0/24']").waitFor();
    expect(await page.getByLabel("Size").inputValue()).toBe("24");
    await page.getByLabel("Name").fill("Bench");
    await page.keyboard.press("Tab");
    await page.getByText("This name is taken").waitFor();
    expect(await page.locator("#field-vlan_id:focus").inputValue()).toBe("101");
    await page.getByLabel("Name").fill("Attic");
    await page.getByLabel("Size").selectOption("/26");
    await page.locator("#field-address[value='10.8.1.0/26']").waitFor();
    expect(await page.getByLabel("Gateway").inputValue()).toBe("10.8.1.62");
    await page.getByLabel("Gateway").press("Enter");
    await page.waitForURL("/network/networks/view/Attic");
    const { body } = await api(alice).get("/network/networks?vlan_name=Attic");
    expect(body[0]).toMatchObject({ vlan_id: 101, address: "10.8.1.0/26", first_ip: "10.8.1.1" });
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("dave moves over the map with the arrow keys and chooses a free cell", async () => {
    await aBench();
    await anInterface({ network: "Bench", name: "crate", ip: "10.8.0.2" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto("/network/networks/view/Bench");
    await page.getByRole("link", { name: "10.8.0.1 free" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const name = await page.evaluate(() => document.activeElement?.textContent);
    expect(name).toBe("10.8.0.19 free");
    expect(await page.locator("[data-map] [tabindex='0']").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/network\/hosts\/create\?network=Bench&ip=10\.8\.0\.19$/);
    expect(await page.locator("input[name=ip]").inputValue()).toBe("10.8.0.19");
    expect(complaints).toEqual([]);
    await window.close();
  });
});
