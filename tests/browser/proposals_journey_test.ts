// A form requests proposals while the user continues to type: the response must not change what they have entered since.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn, type Window } from "../support/chromium.ts";
import { aHost, alice, aNetwork, anItem, aScope } from "../support/mod.ts";

setDefaultTimeout(180_000);

const IP = "IP address";

/** Delays the next response of a path until it is released. */
async function holdBack(page: Page, path: string | RegExp): Promise<() => Promise<void>> {
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await isFree;
    await route.fulfill({ response });
  });
  return async () => {
    await page.evaluate(() => {
      delete document.body.dataset.swapped;
      const mark = () => Object.assign(document.body.dataset, { swapped: "yes" });
      document.addEventListener("htmx:finally:swap", mark, { once: true });
    });
    free();
    await page.locator("body[data-swapped]").waitFor();
    await page.unroute(path);
  };
}

async function open(path: string): Promise<Window> {
  const window = await aWindow();
  await logIn(window, alice);
  await window.page.goto(path);
  return window;
}

async function end(window: Window): Promise<void> {
  expect(window.complaints).toEqual([]);
  await window.close();
}

function chooseNetwork(page: Page, name: string) {
  return page.getByLabel("Network", { exact: true }).selectOption(name);
}

describe.skipIf(!hasChromium)("a proposal that comes while the user types", () => {
  for (const path of ["/network/hosts/create", "/network/interfaces/create/taken"]) {
    test(`keeps the address in ${path}`, async () => {
      const { vlan_name, first_ip } = await aNetwork();
      const other = await aNetwork();
      await aHost({ name: "taken", network: vlan_name });
      const window = await open(path);
      const { page } = window;
      const letGo = await holdBack(page, "**/network/_validate/network*");
      await chooseNetwork(page, vlan_name);
      const field = page.getByLabel(IP);
      await field.pressSequentially(first_ip.slice(0, 4));
      await letGo();
      await page.locator("#address .hint", { hasText: "Free now" }).waitFor();
      await page.keyboard.type(first_ip.slice(4));
      expect(await field.inputValue()).toBe(first_ip);
      // The text is checked although the response contained an empty note.
      await page.locator("#check-ip.error").getByText("taken has this address").waitFor();
      // Another network gives new proposals, because nobody has typed since.
      await page.getByLabel("MAC address").focus();
      await chooseNetwork(page, other.vlan_name);
      await page.waitForFunction(
        (ip) => document.querySelector<HTMLInputElement>("#field-ip")?.value === ip,
        other.first_ip,
      );
      await end(window);
    });
  }

  test("keeps an address that is typed and left, a field that only has the focus, and a MAC address", async () => {
    const { vlan_name } = await aNetwork();
    const window = await open("/network/hosts/create");
    const { page } = window;
    let letGo = await holdBack(page, "**/network/_validate/network*");
    await chooseNetwork(page, vlan_name);
    await page.getByLabel(IP).fill("10.9.9.9");
    await page.getByLabel("Name").focus();
    await letGo();
    expect(await page.getByLabel(IP).inputValue()).toBe("10.9.9.9");
    await page.getByLabel(IP).fill("");
    letGo = await holdBack(page, "**/network/_validate/network*");
    await chooseNetwork(page, "");
    await page.getByLabel(IP).focus();
    await letGo();
    await page.keyboard.type("10.8.8.8");
    expect(await page.getByLabel(IP).inputValue()).toBe("10.8.8.8");
    letGo = await holdBack(page, "**/network/_generate_random_mac*");
    await page.getByRole("button", { name: "Generate" }).click();
    await page.getByLabel("MAC address").pressSequentially("0242");
    await letGo();
    await page.keyboard.type("42000001");
    expect(await page.getByLabel("MAC address").inputValue()).toBe("024242000001");
    await end(window);
  });

  test("keeps what is chosen in the form of a network", async () => {
    const { name, domain } = await aScope();
    const window = await open("/network/networks/create");
    const { page } = window;
    const letGo = await holdBack(page, "**/network/networks/create");
    await page.getByLabel("Scope").selectOption(name);
    await page.getByLabel("Domain").selectOption(domain);
    await page.getByLabel("Only admins may add and change hosts").check();
    await letGo();
    expect(await page.getByLabel("Domain").inputValue()).toBe(domain);
    expect(await page.getByLabel("Only admins may add and change hosts").isChecked()).toBe(true);
    expect(await page.getByLabel("Size").inputValue()).not.toBe("");
    await end(window);
  });

  test("keeps the stack member of an item", async () => {
    await aHost({ name: "sw-01", device_type: "Network" });
    await anItem();
    const window = await open("/inventory/items/create");
    const { page } = window;
    const letGo = await holdBack(page, /\/inventory\/items\/create\?/);
    await page.getByLabel("Host").fill("sw-01");
    await page.getByLabel("Host").press("Tab");
    await page.getByLabel("Stack member").selectOption("3");
    await letGo();
    expect(await page.getByLabel("Stack member").inputValue()).toBe("3");
    await end(window);
  });
});
