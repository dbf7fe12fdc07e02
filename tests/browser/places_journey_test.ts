// Everything leads on: from a building to all that is below it, from an item to its model, from a network to its VLAN.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasChromium } from "../support/chromium.ts";
import { aJourney, OTHER_WAYS, WAYS } from "../support/journey.ts";
import {
  aHost,
  aLocation,
  aModel,
  aNetwork,
  anItem,
  aScope,
  aStatus,
  bob,
  carol,
  inOrder,
} from "../support/mod.ts";

setDefaultTimeout(180_000);

/** A hall in a building, and a rack in the hall; three items in the rack and the hall, one elsewhere. */
async function aBuilding(): Promise<void> {
  await Promise.all([aStatus({ name: "In use" }), aModel({ name: "X 1/2" })]);
  await aLocation({ name: "Building 7" });
  await aLocation({ name: "Hall A", parent: "Building 7" });
  await aLocation({ name: "Rack 1", parent: "Hall A" });
  const item = (ics_id: string, location: string | null, status: string | null = null) =>
    anItem({ ics_id, location, status, model: "X 1/2" });
  await inOrder([
    () => item("AAA001", "Rack 1", "In use"),
    () => item("AAA002", "Rack 1", "In use"),
    () => item("AAA003", "Hall A"),
    () => item("AAA004", null),
  ]);
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test.each(WAYS)("carol goes from a building to all that is below it, %s", async (way) => {
    await aBuilding();
    const { page, isByKeyboard, press, end } = await aJourney(way, carol);
    await page.goto("/inventory");
    await press(page.locator(".overview").getByRole("link", { name: "Locations", exact: true }));
    await page.waitForURL("/inventory/attributes/location");
    if (isByKeyboard) {
      await page.keyboard.press("j");
      await page.keyboard.press("o");
    } else {
      await press(page.locator("#list").getByRole("link", { name: "Building 7" }).first());
    }
    await press(page.locator("#panel").getByRole("link", { name: "Building 7" }));
    await page.waitForURL(/\/location\/Building%207/);
    const contents = page.getByRole("region", { name: "Contents" });
    await contents.getByText("2 locations, 3 items").waitFor();
    expect((await contents.locator(".tree > li a").allInnerTexts()).slice(0, 3)).toEqual([
      ...["Hall A", "3 items", "AAA003"],
    ]);
    await press(contents.locator(".counts").getByRole("link", { name: "In use" }));
    await page.waitForURL(/location__under=Building/);
    await page.getByRole("status").getByText("2 items").waitFor();
    await press(page.getByRole("link", { name: "Remove the filter location__under" }));
    await page.waitForURL("/inventory/items?status=In+use");
    await press(page.locator("#list").getByRole("link", { name: "Rack 1" }).first());
    await page.waitForURL("/inventory/attributes/location/Rack%201");
    await press(page.locator(".facts").getByRole("link", { name: "Hall A" }));
    await page.waitForURL("/inventory/attributes/location/Hall%20A");
    await press(page.locator(".tree").getByRole("link", { name: "AAA003" }));
    await press(page.locator(".facts").getByRole("link", { name: "X 1/2" }));
    await page.waitForURL("/inventory/attributes/model/X%201%2F2");
    await page.getByText("CSE:model:X 1/2").waitFor();
    await page.getByRole("region", { name: "Items" }).getByText("AAA004").waitFor();
    expect(await page.locator("#history-title ~ .timeline").innerText()).toContain("alice");
    await end();
  });

  test.each(OTHER_WAYS)("carol goes from a network to its VLAN, %s", async (way) => {
    await aScope({ name: "Laboratory" });
    await aNetwork({ scope: "Laboratory", vlan_name: "Bench", vlan_id: 310 });
    await aHost({ name: "bench-01", network: "Bench" });
    const { page, press, end } = await aJourney(way, carol);
    await page.goto("/network/networks");
    await press(page.locator("#list").getByRole("link", { name: "310" }));
    await page.waitForURL("/network/vlans/310");
    await page.getByText("1 network, 1 host").waitFor();
    await press(
      page.getByRole("row", { name: /Bench/ }).getByRole("link", { name: "1", exact: true }),
    );
    await page.waitForURL("/network/hosts?network=Bench");
    await press(page.locator("#list").getByRole("link", { name: "bench-01" }).first());
    await page.waitForURL(/\/network\/hosts\/view\/bench-01/);
    await press(page.locator("main").getByRole("link", { name: "Bench", exact: true }).first());
    await page.waitForURL("/network/networks/view/Bench");
    await press(page.locator(".lead").getByRole("link", { name: "VLAN 310" }));
    await page.waitForURL("/network/vlans/310");
    await press(page.getByLabel("Breadcrumb").getByRole("link", { name: "Network", exact: true }));
    await page.waitForURL("/network");
    await end();
  });

  test.each(OTHER_WAYS)("bob puts a hall into a building, %s", async (way) => {
    await inOrder([() => aLocation({ name: "Building 7" }), () => aLocation({ name: "Hall A" })]);
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    const { page, press, write, shortcut, end } = await aJourney(way, bob);
    await page.goto("/inventory/attributes/location/Hall%20A");
    await shortcut("e", page.getByRole("link", { name: "Edit", exact: true }));
    await page.locator("#panel").waitFor();
    await write(page.locator("#panel").getByLabel("Parent"), "Building 7");
    await press(page.locator("#panel").getByRole("button", { name: "Save" }));
    await page.getByText("Saved Hall A").waitFor();
    await press(page.locator("#panel").getByRole("link", { name: "Hall A" }));
    await press(page.locator(".facts").getByRole("link", { name: "Building 7" }));
    await page.getByText("1 location, 1 item").waitFor();
    await end();
  });
});
