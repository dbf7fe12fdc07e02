import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aHost, alice, aNetwork, anItem, api, dave } from "../support/mod.ts";

setDefaultTimeout(180_000);

const CREATE = "/network/hosts/create";
const VIEW = "/network/hosts/view";

/** Until the first free address of the chosen network is filled in. */
async function proposalOn(page: Page): Promise<string> {
  const field = page.getByLabel("IP address");
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>("#field-ip")?.value !== "",
  );
  return field.inputValue();
}

/** What the buttons of the list copy. */
function copiedBy(page: Page): Promise<Array<string | undefined>> {
  return page.locator("#list td .copy").evaluateAll((all) => all.map((one) => one.dataset.copy));
}

async function interfacesOf(host: string): Promise<any[]> {
  return (await api(alice).get(`/network/interfaces?host=${host}`)).body;
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test("dave registers a machine from an empty form in under 12 interactions", async () => {
    const { vlan_name, domain, first_ip } = await aNetwork();
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto("/network/hosts");
    let done = 0;
    const interact = async (deed: Promise<unknown>) => {
      done += 1;
      await deed;
    };
    await interact(page.keyboard.press("c"));
    await page.waitForURL(CREATE);
    await page.locator("#field-name:focus").waitFor();
    await interact(page.keyboard.type("ws-01"));
    await interact(page.getByLabel("Network", { exact: true }).selectOption(vlan_name));
    expect(await proposalOn(page)).toBe(first_ip);
    await page.getByText(`Full name ws-01.${domain}`).waitFor();
    await interact(page.getByRole("button", { name: "Generate" }).click());
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>("#field-mac")?.value !== "",
    );
    await interact(page.getByLabel("MAC address").press("Control+Enter"));
    await page.waitForURL(`${VIEW}/ws-01`);
    expect(done).toBeLessThan(12);
    const [main] = await interfacesOf("ws-01");
    expect(main).toMatchObject({ ip: first_ip, mac: expect.stringMatching(/^02:42:42:/) });
    await page.goto("/network/hosts");
    const copied = [`ws-01.${domain}`, first_ip, main.mac];
    expect(await copiedBy(page)).toEqual(copied);
    await page.getByRole("link", { name: "Name" }).click();
    await page.locator("th[aria-sort=descending]").waitFor();
    expect(await copiedBy(page)).toEqual(copied);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("two people submit the same proposed address, and both succeed", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    const windows = [await aWindow(), await aWindow()];
    const people = [alice, dave];
    for (const [at, window] of windows.entries()) {
      const { page } = window;
      await logIn(window, people[at]!);
      await page.goto(CREATE);
      await page.getByLabel("Name").fill(`ws-0${at + 1}`);
      await page.getByLabel("Network", { exact: true }).selectOption(vlan_name);
      expect(await proposalOn(page)).toBe(first_ip);
    }
    const [first, second] = windows.map(({ page }) => page);
    await first!.getByRole("button", { name: "Save", exact: true }).click();
    await first!.waitForURL(`${VIEW}/ws-01`);
    await second!.getByRole("button", { name: "Save", exact: true }).click();
    const next = first_ip.replace(/\.1$/, ".2");
    await second!
      .locator("#error-field-ip")
      .getByText(`${next} is the next free address`)
      .waitFor();
    expect(await second!.getByLabel("IP address").inputValue()).toBe(next);
    await second!.getByRole("button", { name: "Save", exact: true }).click();
    await second!.waitForURL(`${VIEW}/ws-02`);
    const taken = [...(await interfacesOf("ws-01")), ...(await interfacesOf("ws-02"))];
    expect(taken.map(({ ip }) => ip)).toEqual([first_ip, next]);
    for (const { complaints } of windows) {
      expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    }
    await Promise.all(windows.map((window) => window.close()));
  });

  test("dave sees warnings while typing, and finds the MAC address of the item", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "taken", network: vlan_name });
    const item = await anItem({ ics_id: "AAA001" });
    await api(alice).post("/inventory/macs", { address: "024242000001", item_id: item.id });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto(CREATE);
    await page.getByLabel("Name").pressSequentially("taken");
    await page.locator("#check-name.error").getByText("This name is not available").waitFor();
    await page.getByLabel("Name").fill("taken-2");
    await page.locator("#check-name.hint").getByText("Full name taken-2").waitFor();
    await page.getByLabel("Item 1").fill("AAA001");
    await page.getByLabel("Item 1").press("Tab");
    await page
      .locator("#field-mac-names option[value='02:42:42:00:00:01']")
      .waitFor({ state: "attached" });
    await page.getByLabel("Network", { exact: true }).selectOption(vlan_name);
    const proposed = await proposalOn(page);
    await page.getByLabel("IP address").fill(proposed.replace(/\.2$/, ".1"));
    await page.locator("#check-ip.error").getByText("taken has this address").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("dave renames and describes a host in place, and deletes his records", async () => {
    const { vlan_name, domain } = await aNetwork();
    await api(dave).post("/network/hosts", {
      name: "ws-01",
      device_type: "Virtual",
      network: vlan_name,
    });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto(`${VIEW}/ws-01`);
    await page.locator("summary", { hasText: "cname of ws-01" }).click();
    await page.getByLabel("New cname").fill("www");
    await page.getByLabel("New cname").press("Enter");
    await page.locator(".named").getByText(`www.${domain}`, { exact: true }).waitFor();
    await page.locator("summary", { hasText: "Change description" }).click();
    await page.getByLabel("Description").fill("Runs the archiver");
    await page.getByLabel("Description").press("Control+Enter");
    await page.locator(".facts .prose").getByText("Runs the archiver").waitFor();
    expect(page.url()).toEndWith(`${VIEW}/ws-01`);
    await page.locator(".head").getByRole("button", { name: "Delete" }).click();
    await page.getByText("1 interface will be deleted").waitFor();
    await page.getByLabel("Type ws-01 to confirm").fill("ws-01");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("/network/hosts");
    await page.getByText("Deleted ws-01").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });
});
