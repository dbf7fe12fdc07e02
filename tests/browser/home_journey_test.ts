// The home page leads on: each figure to its list, what is nearly full to its network, and what one uses to its page.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasChromium } from "../support/chromium.ts";
import { createdDaysAgo } from "../support/history.ts";
import { aJourney, type Journey, WAYS } from "../support/journey.ts";
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
    const words = day.toLocaleDateString("en-GB", { day: "numeric", month: "long" });
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
    await press(page.getByRole("link", { name: "its list" }));
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
      .getByRole("heading", { name: /^Change of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/ })
      .waitFor();
    await end();
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
