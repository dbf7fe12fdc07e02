// People add passkeys and log in with them, in Chromium with its virtual authenticator.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium } from "../support/chromium.ts";
import { alice, bob, dave, PASSWORD, type Person, service } from "../support/mod.ts";
import { localhost } from "../support/passkeys.ts";

setDefaultTimeout(180_000);

/** A window that opens the service as http://localhost, on a device with passkeys. */
async function aDevice(options: Parameters<typeof aWindow>[0] = {}) {
  const window = await aWindow({ baseURL: await localhost(), ...options });
  const device = await window.page.context().newCDPSession(window.page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const refuse = (isRefused: boolean) =>
    device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: !isRefused });
  return { ...window, refuse };
}

async function enterPassword(page: Page, { username }: Person): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

async function logOut(page: Page): Promise<void> {
  await page.goto("/user/logout");
  await page.getByRole("heading", { name: "Log in" }).waitFor();
}

async function readCodes(page: Page): Promise<string[]> {
  const codes = (await page.locator("#recovery-codes").innerText()).trim().split("\n");
  expect(codes).toHaveLength(10);
  return codes;
}

describe.skipIf(!hasChromium)("in the browser", () => {
  test("bob adds a passkey, and logs in with it after the password, alone, and by a recovery code", async () => {
    const { page, complaints, refuse, close } = await aDevice();
    await page.goto("/user/passkeys/add");
    await enterPassword(page, bob);
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Add" }).click();
    const codes = await readCodes(page);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByRole("link", { name: "Remove Laptop" }).waitFor();
    await page.goto("/user/passkeys/add");
    await page.getByLabel("Name").fill("Laptop again");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("This device has a passkey of yours already").waitFor();

    await logOut(page);
    await enterPassword(page, bob);
    await page.getByRole("button", { name: "Use your passkey" }).click();
    await page.waitForURL((url) => url.pathname === "/");

    await logOut(page);
    await refuse(true);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.getByText("No passkey was used").waitFor();
    await refuse(false);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.waitForURL((url) => url.pathname === "/");

    await logOut(page);
    await enterPassword(page, bob);
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Use this code" }).click();
    await page.getByText("9 recovery codes are left").waitFor();
    expect(complaints).toEqual([]);
    await close();

    const { page: plain, close: closePlain } = await aDevice({ javaScriptEnabled: false });
    await plain.goto("/user/profile");
    await plain.getByText("Passkeys need scripting").waitFor();
    expect(await plain.getByRole("button", { name: "passkey" }).count()).toBe(0);
    await enterPassword(plain, bob);
    await plain.getByText("Passkeys need scripting").waitFor();
    await plain.getByLabel("Recovery code").fill(codes[1] ?? "");
    await plain.getByRole("button", { name: "Use this code" }).click();
    await plain.getByText("8 recovery codes are left.").waitFor();
    await closePlain();
  });

  test("alice requires passkeys of a group, and dave sets one up when he logs in", async () => {
    const { page, complaints, close } = await aDevice();
    await page.goto("/admin/sign-in");
    await enterPassword(page, alice);
    await page.getByLabel("network").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved who needs a passkey").waitFor();
    await logOut(page);

    await page.goto("/network/networks");
    await enterPassword(page, dave);
    await page.getByRole("heading", { name: "Set up a passkey" }).waitFor();
    await page.goto("/network/networks");
    await enterPassword(page, dave);
    await page.getByLabel("Name").fill("Phone");
    await page.getByRole("button", { name: "Set up a passkey" }).click();
    await readCodes(page);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.waitForURL((url) => url.pathname === "/network/networks");
    expect(complaints).toEqual([]);
    await close();
    await (await service()).sql`delete from settings where name = 'passkey_groups'`;
  });
});
