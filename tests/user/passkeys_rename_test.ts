// People rename their passkeys.
import { describe, expect, test } from "bun:test";
import { elements, texts } from "../support/html.ts";
import { alice, bob, carol, PASSWORD } from "../support/mod.ts";
import {
  aPasskey,
  audited,
  idOfPasskey,
  isLoggedIn,
  localBrowser,
  logInAlone,
  makeOld,
} from "../support/passkeys.ts";

describe("a passkey that is renamed", () => {
  test("has its new name on the profile page and in the audit log, and still works", async () => {
    const { own, passkey } = await aPasskey(bob);
    const other = await localBrowser(bob);
    const path = `/user/passkeys/rename/${await idOfPasskey("Laptop")}`;
    const { text } = await own.get("/user/profile");
    const links = elements(text, "[aria-labelledby=passkeys-title] td a");
    expect(links.map(({ attributes }) => attributes.href)).toContain(path);
    const form = await own.get(path);
    expect(texts(form.text, "h1")).toEqual(["Rename Laptop"]);
    expect(elements(form.text, "#field-name")[0]?.attributes.value).toBe("Laptop");
    const done = await own.submit(path, { name: "Old laptop" });
    expect(done.headers.get("location")).toBe("/user/profile");
    await own.submit(path, { name: "Old laptop" });
    const profile = (await own.get("/user/profile")).text;
    const names = texts(profile, "[aria-labelledby=passkeys-title] td[data-label=Name]");
    expect(names).toEqual(["Old laptop"]);
    const details = { passkey: "Old laptop", before: "Laptop" };
    expect(await audited("passkey.renamed")).toEqual([
      { event: "passkey.renamed", username: "bob", target: "bob", details },
    ]);
    expect(await isLoggedIn(other)).toBe(true);
    expect((await logInAlone(await localBrowser(), passkey)).status).toBe(303);
  });

  test.each([
    ["no name", ""],
    ["a name that is too long", "x".repeat(61)],
    ["two lines", "Old\nlaptop"],
  ])("keeps its name if the new one is %s", async (_, name) => {
    const { own } = await aPasskey(bob);
    const path = `/user/passkeys/rename/${await idOfPasskey("Laptop")}`;
    const refused = await own.submit(path, { name });
    expect([refused.status, texts(refused.text, ".error")]).toEqual([
      422,
      ["Use 1 to 60 characters on one line"],
    ]);
    expect(await idOfPasskey("Laptop")).toBeGreaterThan(0);
  });

  test("needs the password in a session that is not fresh, and keeps what was typed", async () => {
    const { own } = await aPasskey(bob);
    await makeOld(bob);
    const path = `/user/passkeys/rename/${await idOfPasskey("Laptop")}`;
    for (const [current_password, message] of [
      ["", "Enter your current password"],
      ["wrong", "This is not your current password"],
    ] as const) {
      const refused = await own.submit(path, { name: "Old laptop", current_password });
      expect([refused.status, texts(refused.text, ".error")]).toEqual([422, [message]]);
      expect(elements(refused.text, "#field-name")[0]?.attributes.value).toBe("Old laptop");
    }
    expect(await audited("passkey.renamed")).toEqual([]);
    const form = { name: "Old laptop", current_password: PASSWORD };
    expect((await own.submit(path, form)).status).toBe(303);
  });

  test("is one's own", async () => {
    await aPasskey(bob);
    const path = `/user/passkeys/rename/${await idOfPasskey("Laptop")}`;
    for (const person of [carol, alice]) {
      const other = await localBrowser(person);
      expect((await other.get(path)).status).toBe(404);
      expect((await other.submit(path, { name: "Mine" })).status).toBe(404);
    }
    expect(await idOfPasskey("Laptop")).toBeGreaterThan(0);
  });
});
