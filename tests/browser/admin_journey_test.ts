// An admin adds a user, changes their groups, ends their access and reads in the audit log what happened.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium } from "../support/chromium.ts";
import { aJourney, type Journey, WAYS } from "../support/journey.ts";
import { alice, api, stranger } from "../support/mod.ts";

setDefaultTimeout(180_000);

const FIRST = "a first long password";
const SECOND = "a second long password";

async function addErin({ page, press, write, shortcut }: Journey): Promise<void> {
  await page.goto("/admin");
  await press(page.getByRole("link", { name: "Users", exact: true }));
  await page.waitForURL("/admin/users");
  await shortcut("c", page.getByRole("link", { name: "Add user" }));
  await page.waitForURL("/admin/users/create");
  await page.locator("#field-username:focus").waitFor();
  await write(page.getByLabel("Username"), "Erin");
  await press(page.getByLabel("inventory"));
  await write(page.getByLabel("Password", { exact: true }), FIRST);
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await page.waitForURL("/admin/users/view/erin");
  await page.getByText("inventory", { exact: true }).filter({ visible: true }).first().waitFor();
}

async function changeGroups({ page, press, shortcut }: Journey): Promise<void> {
  await shortcut("e", page.getByRole("link", { name: "Edit" }));
  await page.waitForURL("/admin/users/edit/erin");
  await press(page.getByLabel("inventory"));
  await press(page.getByLabel("network"));
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await page.getByText("Saved erin").waitFor();
  expect(await page.locator("aside .tag").allInnerTexts()).toContain("network");
}

async function act({ page, press, confirm }: Journey, label: string | RegExp, verb: string) {
  await press(page.getByRole("button", { name: label }));
  await confirm(verb);
}

/** Logs in through the form by keys, where the fields have the focus in turn. */
async function logInByForm(page: Page, password: string): Promise<void> {
  await page.goto("/user/login");
  await page.locator("#field-username:focus").waitFor();
  await page.keyboard.type("erin");
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

async function aTokenOfErin(): Promise<string> {
  const { body } = await api(stranger).post("/user/login", { username: "erin", password: SECOND });
  const token = { token: body.access_token };
  return (await api(token).post("/user/tokens", { description: "Nightly script" })).body.token;
}

async function expectLoggedOut(page: Page): Promise<void> {
  await page.goto("/inventory/items");
  expect(new URL(page.url()).pathname).toBe("/user/login");
}

describe.skipIf(!hasChromium)("an admin", () => {
  test.each(WAYS)("adds a user and ends their access, %s", async (way) => {
    const desk = await aJourney(way, alice);
    const { page, hasScript, press, write, choose } = desk;
    await addErin(desk);
    await changeGroups(desk);
    await write(page.getByLabel("New password"), SECOND);
    await press(page.getByRole("button", { name: "Set the password" }));
    await page.getByText("erin has a new password").waitFor();

    const theirs = await aWindow({ javaScriptEnabled: hasScript });
    await logInByForm(theirs.page, FIRST);
    await theirs.page.locator(".note.bad[role=alert]").waitFor();
    await logInByForm(theirs.page, SECOND);
    await theirs.page.waitForURL("/");
    const token = await aTokenOfErin();

    await page.reload();
    await act(desk, "End the sessions", "End");
    await page.getByText("erin is logged out everywhere").waitFor();
    await expectLoggedOut(theirs.page);
    await act(desk, "Revoke Nightly script of erin", "Revoke");
    await page.getByText("No tokens yet").waitFor();
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    await logInByForm(theirs.page, SECOND);
    await theirs.page.waitForURL("/");
    await act(desk, "Deactivate this user", "Deactivate");
    await page.getByText("erin is deactivated").waitFor();
    await expectLoggedOut(theirs.page);
    await logInByForm(theirs.page, SECOND);
    await theirs.page.locator(".note.bad[role=alert]").waitFor();

    await press(page.getByRole("link", { name: "All entries" }));
    await page.waitForURL("/admin/audit?username=erin");
    await choose(page.getByLabel("Any event"), "Login failed");
    if (!hasScript) await press(page.getByRole("button", { name: "Filter" }));
    await page.waitForURL(/event=login.failed/);
    await page.getByRole("status").getByText("2 entries").waitFor();
    expect(theirs.complaints.filter((text) => !/ 401 /.test(text))).toEqual([]);
    await theirs.close();
    await desk.end();
  });
});
