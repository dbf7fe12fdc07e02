// An admin sets up a provider, and people log in by it, in Chromium.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium } from "../support/chromium.ts";
import { aDirectory } from "../support/directory.ts";
import { aJourney } from "../support/journey.ts";
import { alice, service } from "../support/mod.ts";
import { aProvider, CLIENT, oidcServer } from "../support/oidc.ts";
import { isMissing } from "../support/programs.ts";
import { slapd } from "../support/slapd.ts";

setDefaultTimeout(180_000);

const ERIN = { preferred_username: "erin", name: "Erin Example", groups: ["lab-net"] };

describe.skipIf(!hasChromium)("in the browser", () => {
  test("alice adds a provider, tests it, maps a group and enables it", async () => {
    const server = await oidcServer();
    server.people = { "sub-erin": ERIN };
    server.person = "sub-erin";
    const journey = await aJourney("by keyboard alone", alice);
    const { page, press, write, choose } = journey;
    await page.goto("/admin/users/view/alice");
    await press(page.getByRole("button", { name: "Make it a break-glass account" }));
    await page.getByText("alice can always log in").waitFor();
    await page.goto("/admin/sign-in");
    await press(page.getByRole("link", { name: "Add OpenID Connect" }));
    await write(page.getByRole("textbox", { name: "Key" }), "lab");
    await write(page.getByLabel("Name", { exact: true }), "Lab");
    await write(page.getByLabel("Issuer"), server.issuer);
    await write(page.getByLabel("Client ID"), CLIENT.id);
    await write(page.getByLabel("Client secret"), CLIENT.secret);
    await press(page.getByRole("button", { name: "Save" }));
    await press(page.getByRole("link", { name: "Test" }));
    await page.getByText("Would be refused: no group is mapped").waitFor();
    await press(page.getByRole("link", { name: "Lab", exact: true }));
    await write(page.getByLabel("Group at the provider"), "lab-net");
    await choose(page.getByLabel("Group or right here"), "network");
    await press(page.getByRole("button", { name: "Add mapping" }));
    await press(page.getByRole("link", { name: "Test" }));
    await page.getByText("Would log in as erin, a new account").waitFor();
    await press(page.getByRole("link", { name: "Lab", exact: true }));
    await press(page.getByRole("button", { name: "Enable" }));
    await page.getByText("Lab is enabled").waitFor();
    await journey.end();
  });

  test.each([true, false])(
    "erin logs in by it, and out (scripting: %p)",
    async (javaScriptEnabled) => {
      const server = await oidcServer();
      server.people = { "sub-erin": ERIN };
      server.person = "sub-erin";
      await aProvider({ mappings: { "lab-net": "network" } });
      const window = await aWindow({ javaScriptEnabled });
      const { page, complaints } = window;
      await page.goto("/network/hosts");
      await page.getByRole("link", { name: "Log in with Lab" }).click();
      await page.waitForURL("/network/hosts");
      await page.goto("/user/profile");
      await page.getByText("logs in by Lab").waitFor();
      await page.goto("/user/logout");
      const leave = page.getByRole("link", { name: "Log out there, too" });
      await leave.waitFor();
      expect(complaints).toEqual([]);
      // The page there is not ours.
      await leave.click();
      await page.waitForURL((url) => url.origin === server.issuer);
      await window.close();
    },
  );

  test.skipIf(isMissing("slapd"))("frida logs in with the password of a directory", async () => {
    const directory = await slapd();
    await directory.addPerson("frida", "the password of frida");
    await aDirectory({ url: directory.ldaps, ca: directory.ca });
    const window = await aWindow({});
    const { page, complaints } = window;
    await page.goto("/user/profile");
    await page.getByLabel("Username").fill("frida");
    await page.getByLabel("Password").fill("the password of frida");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("logs in by Directory").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
    expect(await (await service()).sql`select from identities`).toHaveLength(1);
  });
});
