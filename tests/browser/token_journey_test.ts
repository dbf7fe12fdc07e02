import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aLocation, alice, api, bob, PASSWORD, service } from "../support/mod.ts";

setDefaultTimeout(180_000);

describe.skipIf(!hasChromium)("in the browser", () => {
  test("bob logs in, creates a token, uses it and revokes it", async () => {
    const window = await aWindow();
    const { page, complaints } = window;
    await page.goto("/user/profile");
    await page.getByLabel("Username").fill("bob");
    await page.getByLabel("Password").fill("correct horse battery staple");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL("/user/profile");
    await page.getByLabel("Description").fill("Nightly script");
    await page.getByRole("button", { name: "Generate" }).click();
    const token = (await page.locator(".secret code").textContent()) ?? "";
    expect((await api({ token }).get("/user/profile")).body.username).toBe("bob");
    await page.goto("/user/profile");
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Revoke Nightly script" }).click();
    await page.locator("dialog#confirm").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked the token").waitFor();
    expect(await page.getByText("Nightly script").count()).toBe(0);
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("bob does the same without scripting", async () => {
    const window = await aWindow({ javaScriptEnabled: false });
    const { page } = window;
    await logIn(window, bob);
    await page.goto("/user/profile");
    await page.getByLabel("Description").fill("Nightly script");
    await page.getByRole("button", { name: "Generate" }).click();
    const token = (await page.locator(".secret code").textContent()) ?? "";
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    await page.getByRole("button", { name: "Revoke Nightly script" }).click();
    await page.getByText("Revoked the token").waitFor();
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    await window.close();
  });

  test("bob enters his password again for a token, an hour after he logged in", async () => {
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    const { sql } = await service();
    await sql`update sessions set created_at = now() - interval '1 hour'`;
    await page.goto("/user/profile");
    const form = page.locator("section", { has: page.getByRole("heading", { name: "New token" }) });
    await form.getByLabel("Description").fill("Nightly script");
    await form.getByLabel("Current password").fill("a guess");
    await form.getByRole("button", { name: "Generate" }).click();
    await form.getByText("This is not your current password").first().waitFor();
    expect(await form.getByLabel("Description").inputValue()).toBe("Nightly script");
    await form.getByLabel("Current password").fill(PASSWORD);
    await form.getByRole("button", { name: "Generate" }).click();
    const token = (await page.locator(".secret code").textContent()) ?? "";
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([]);
    await window.close();
  });

  test("alice filters while she types, marks a favourite, and goes back", async () => {
    for (const name of ["Hall A", "Hall B", "Yard"]) await aLocation({ name });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, alice);
    await page.goto("/inventory/attributes/location");
    await page.getByLabel("Filter locations").pressSequentially("hall");
    await page.waitForURL(/\?q=hall$/);
    await page.getByText("2 locations").waitFor();
    await page.getByRole("button", { name: "Favourite Hall B" }).click();
    await page.locator("button[aria-label='Favourite Hall B'][aria-pressed=true]").waitFor();
    await page.getByRole("link", { name: "Name" }).click();
    await page.waitForURL(/sort=name/);
    await page.getByRole("link", { name: "Name" }).click();
    await page.waitForURL(/sort=-name/);
    expect(await page.locator("td a.open").allInnerTexts()).toEqual(["Hall B", "Hall A"]);
    await page.goBack();
    await page.waitForURL(/sort=name/);
    // The order tells that the page is loaded again: until then, that could still replace the next page.
    await page.locator("tbody tr:first-child td a.open", { hasText: "Hall A" }).waitFor();
    await page.goto("/inventory/attributes/favorites");
    expect(await page.locator("figure.label b").allInnerTexts()).toEqual(["Hall B"]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("a fragment request with an ended session leads to the login", async () => {
    await aLocation({ name: "Hall A" });
    const window = await aWindow();
    const { page } = window;
    await logIn(window, alice);
    await page.goto("/inventory/attributes/location");
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Name" }).click();
    await page.waitForURL(/\/user\/login\?next=/);
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await window.close();
  });
});
