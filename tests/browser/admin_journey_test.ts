// An admin adds a user, sets their password and deactivates them: by keyboard, and without scripting.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { alice } from "../support/mod.ts";

setDefaultTimeout(180_000);

const FIRST = "a first long password";
const SECOND = "a second long password";

/** Follows a control by the keyboard alone. */
async function press(page: Page, role: "link" | "button", name: string | RegExp): Promise<void> {
  const control = page.getByRole(role, { name }).first();
  await control.focus();
  await page.keyboard.press("Enter");
}

async function logInByForm(page: Page, password: string): Promise<void> {
  await page.goto("/user/login");
  await page.getByLabel("Username").focus();
  await page.keyboard.type("erin");
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

describe.skipIf(!hasChromium)("an admin", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "by keyboard" : "without scripting";
    test(`adds a user, who logs in with a new password and is logged out when deactivated, ${how}`, async () => {
      const desk = await aWindow({ javaScriptEnabled });
      const { page } = desk;
      await logIn(desk, alice);
      await page.goto("/admin/users");
      if (javaScriptEnabled) await page.keyboard.press("c");
      else await press(page, "link", "Add user");
      await page.waitForURL("/admin/users/create");
      await page.locator("#field-username:focus").waitFor();
      await page.keyboard.type("Erin");
      await page.getByLabel("inventory").focus();
      await page.keyboard.press("Space");
      await page.locator("#field-password").focus();
      await page.keyboard.type(FIRST);
      await page.keyboard.press("Enter");
      await page.waitForURL("/admin/users/view/erin");
      await page.getByText("inventory", { exact: true }).first().waitFor();

      await page.getByLabel("New password").fill(SECOND);
      await press(page, "button", "Set the password");
      await page.getByText("erin has a new password").waitFor();

      const theirs = await aWindow({ javaScriptEnabled });
      await logInByForm(theirs.page, FIRST);
      await theirs.page.locator(".note.bad[role=alert]").waitFor();
      await logInByForm(theirs.page, SECOND);
      await theirs.page.waitForURL("/");

      await press(page, "button", "Deactivate this user");
      await page.getByText("Deactivate erin?").waitFor();
      await press(page, "button", /^Deactivate$/);
      await page.getByText("erin is deactivated").waitFor();
      await theirs.page.goto("/inventory/items");
      expect(new URL(theirs.page.url()).pathname).toBe("/user/login");
      await logInByForm(theirs.page, SECOND);
      await theirs.page.locator(".note.bad[role=alert]").waitFor();

      const unexpected = [...desk.complaints, ...theirs.complaints];
      expect(unexpected.filter((text) => !/ (401|422) /.test(text))).toEqual([]);
      await Promise.all([desk.close(), theirs.close()]);
    });
  }
});
