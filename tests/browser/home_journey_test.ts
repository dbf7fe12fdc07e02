// The home page leads on: each figure to its list, what is nearly full to its network, and what one uses to its page.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasChromium } from "../support/chromium.ts";
import { createdDaysAgo } from "../support/history.ts";
import { aJourney, type Journey, OTHER_WAYS, WAYS } from "../support/journey.ts";
import {
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aStatus,
  inOrder,
  service,
} from "../support/mod.ts";

setDefaultTimeout(180_000);

/** Items and hosts to count, a network with one address left that grew within a month, and no favourite yet. */
async function aSite(): Promise<void> {
  await Promise.all([aStatus({ name: "In use" }), aStatus({ name: "Spare" })]);
  await aLocation({ name: "Hall A" });
  await inOrder(["In use", "In use", "Spare"].map((status) => () => anItem({ status })));
  await aHost({ name: "vm-1", device_type: "Virtual" });
  const { id, first_ip } = await aNetwork({ vlan_name: "Bench" });
  await api(alice).patch(`/network/networks/${id}`, { last_ip: first_ip.replace(/\.1$/, ".5") });
  await createdDaysAgo("networks", id, 300);
  for (let at = 0; at < 4; at += 1) await anInterface({ host: "vm-1", network: "Bench" });
}

describe.skipIf(!hasChromium)("from the home page", () => {
  test.each(WAYS)("alice follows its figures to what they count, %s", async (way) => {
    await aSite();
    const journey = await aJourney(way, alice);
    const { page, press, end } = journey;
    const goHome = () => home(journey);
    await page.goto("/");
    const figure = (name: string) => page.getByRole("region", { name, exact: true });
    await press(figure("Items").getByRole("link", { name: "Items 3" }));
    await page.waitForURL("/inventory/items");
    await page.getByRole("status").getByText("3 items").waitFor();

    await goHome();
    await press(figure("Items").getByRole("link", { name: "In use" }));
    await page.waitForURL("/inventory/items?status=In+use");
    await page.getByRole("status").getByText("2 items").waitFor();

    await goHome();
    await press(figure("Hosts").getByRole("link", { name: /^Virtual/ }));
    await page.getByRole("status").getByText("1 host").waitFor();

    await goHome();
    await press(figure("Changes").locator("summary"));
    await press(figure("Changes").locator("td a").first());
    await page.getByRole("heading", { name: "Changes" }).waitFor();
    expect(new URL(page.url()).searchParams.get("from")).toBe(
      new Date().toISOString().slice(0, 10),
    );

    await goHome();
    const filling = figure("Nearly full networks");
    // 4 in 90 days, 1 left.
    const day = new Date(Date.now() + 23 * 86_400_000);
    const words = day.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    expect(await filling.locator("li").innerText()).toMatch(
      new RegExp(`4 of 5\\s+Full in about 3 weeks \\(${words}`),
    );
    await press(filling.getByRole("link", { name: "Bench" }));
    await page.waitForURL("/network/networks/view/Bench");
    await end();
  });

  test.each(WAYS)("alice comes back to her work and her favourites, %s", async (way) => {
    await aSite();
    const journey = await aJourney(way, alice);
    const { page, hasScript, press, end } = journey;
    await page.goto("/");
    await press(page.getByRole("link", { name: "Attributes" }));
    await press(page.getByRole("button", { name: "Favourite Hall A" }));
    await page.locator("button[aria-pressed=true]").waitFor();
    if (hasScript) await page.locator("button[aria-pressed=true]:focus").waitFor();
    await home(journey);
    const card = (name: string) => page.getByRole("region", { name });
    await press(card("Favourites").getByRole("link", { name: "Hall A" }));
    await page.waitForURL("/inventory/attributes/location/Hall%20A");
    await home(journey);
    await press(card("My recent work").getByRole("link", { name: "vm-1" }).first());
    await page.waitForURL("/network/hosts/view/vm-1");
    await home(journey);
    await press(card("Recent changes").locator("a.when").first());
    await page
      .getByRole("heading", { name: /^Change of \d{1,2} \w+ \d{4}, \d\d:\d\d UTC$/ })
      .waitFor();
    await end();
  });
});

describe.skipIf(!hasChromium)("in the first hour", () => {
  test.each(OTHER_WAYS)("alice makes the first network and the usual statuses, %s", async (way) => {
    const journey = await aJourney(way, alice);
    const { page, press, write, end } = journey;
    await page.goto("/");
    const steps = page.getByRole("region", { name: "First steps" });
    await press(steps.getByRole("link", { name: "Add first network" }));
    await write(page.getByLabel("Domain"), "lab.example.org");
    await write(page.getByLabel("Last VLAN"), "5");
    await press(page.getByRole("button", { name: "Save" }));
    await page.getByText("1 field needs attention").waitFor();
    await write(page.getByLabel("Last VLAN"), "50");
    await press(page.getByRole("button", { name: "Save" }));
    await page.waitForURL("/network/hosts/create?network=Servers");
    await write(page.getByLabel("Name", { exact: true }), "web-01");
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await page.waitForURL("/network/hosts/view/web-01");

    await home(journey);
    await press(steps.getByRole("link", { name: "Add usual statuses and device types" }));
    await press(page.getByRole("checkbox", { name: /^On loan/ }));
    await press(page.getByRole("button", { name: "Save" }));
    await page.waitForURL("/");
    await press(steps.getByRole("button", { name: "My phone is connected" }));
    const done = steps.getByRole("listitem").filter({ hasText: "done" });
    await done.filter({ hasText: "Open Cadastre on a phone" }).waitFor();
    expect((await done.allInnerTexts()).map((text) => text.trim())).toEqual([
      ...["Add first network done", "Add usual statuses and device types done"],
      ...["Add host or Import hosts done", "Add users done", "Open Cadastre on a phone done"],
    ]);

    await press(page.getByRole("button", { name: "Close the tour" }));
    await page.getByRole("heading", { name: "Five things to know" }).waitFor({ state: "detached" });
    await press(page.getByRole("button", { name: "Close first steps" }));
    await steps.waitFor({ state: "detached" });
    await end(422);
    await (await service()).sql`delete from settings where name like 'first_steps%'`;
  });
});

async function home({ page, isByKeyboard, press }: Journey): Promise<void> {
  if (isByKeyboard) {
    // The script that knows the keys runs before the page is loaded.
    await page.waitForLoadState();
    await page.keyboard.press("g");
    await page.keyboard.press(".");
  } else {
    await press(page.locator("a.brand"));
  }
  await page.waitForURL("/");
}
