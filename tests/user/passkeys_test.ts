// The passkeys of a user: adding, removing, recovery codes; groups that need one; what admins do.
import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { make } from "../support/authenticator.ts";
import { aSession, browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  alice,
  api,
  audrey,
  bob,
  carol,
  dave,
  idOf,
  PASSWORD,
  serve,
  service,
  stranger,
  visit,
} from "../support/mod.ts";
import {
  aPasskey,
  audited,
  codesIn,
  idOfPasskey,
  isLoggedIn,
  localBrowser,
  localhost,
  logInAlone,
  makeOld,
  optionsFrom,
  takeStep,
  withPassword,
} from "../support/passkeys.ts";

const ADD = "/user/passkeys/add";
const STEP = "/user/login/second-step";

afterEach(async () => {
  setSystemTime();
  await (await service()).sql`delete from settings where name = 'passkey_groups'`;
});

function alertIn({ text }: { text: string }): string | undefined {
  return texts(text, "[role=alert]")[0];
}

/** Adds another passkey for a browser that is logged in. */
async function addAnother(
  own: Awaited<ReturnType<typeof localBrowser>>,
  name: string,
  fields = {},
) {
  const { body } = await optionsFrom(own, "/user/passkeys", fields);
  const { credential, passkey } = make(body.create, await localhost());
  return { passkey, answer: await own.submit(ADD, { name, credential }) };
}

describe("a passkey that is added", () => {
  test("is on the profile page; the first one comes with recovery codes, and ends other sessions", async () => {
    const other = await aSession(bob);
    const login = await api(stranger).post("/user/login", { username: "bob", password: PASSWORD });
    const { token: personal } = (await api(bob).post("/user/tokens", {})).body;
    const { own, codes } = await aPasskey(bob);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}-[a-z2-9]{5}$/);
    const { text } = await own.get("/user/profile");
    expect(texts(text, "[aria-labelledby=passkeys-title] td[data-label=Name]")).toEqual(["Laptop"]);
    expect(text).toContain("10 recovery codes are left");
    for (const code of codes) expect(text).not.toContain(code);
    const headers = { cookie: `session=${other}`, accept: "text/html" };
    expect((await visit("/user/profile", { headers })).status).toBe(303);
    const profile = (token: string) => api({ token }).get("/user/profile");
    expect((await profile(login.body.access_token)).status).toBe(401);
    expect((await profile(personal)).status).toBe(200);
    const second = await addAnother(own, "Phone");
    expect(second.answer.headers.get("location")).toBe("/user/profile");
    const by = { username: "bob", target: "bob" };
    expect(await audited("passkey.added", "recovery_codes.created")).toEqual([
      { event: "passkey.added", ...by, details: { passkey: "Laptop" } },
      { event: "recovery_codes.created", ...by, details: { codes: 10 } },
      { event: "passkey.added", ...by, details: { passkey: "Phone" } },
    ]);
    const { sql } = await service();
    const [stored] = await sql`select transports from passkeys where name = 'Laptop'`;
    expect(stored.transports).toEqual(["internal"]);
  });

  test("is offered to the browser with what the user has already, under one handle", async () => {
    const { own, passkey } = await aPasskey(bob);
    const { body } = await optionsFrom(own, "/user/passkeys");
    const { create } = body;
    expect(create.rp).toEqual({ name: "Cadastre", id: "localhost" });
    expect(create.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([
      passkey.id.toString("base64url"),
    ]);
    expect(create.user.id).toBe(passkey.user_handle);
    expect(create.attestation).toBe("none");
  });

  test("needs the password in a session that is not fresh", async () => {
    const own = await localBrowser(bob);
    await makeOld(bob);
    expect(elements((await own.get(ADD)).text, "[name=current_password]")).toHaveLength(1);
    const without = await optionsFrom(own, "/user/passkeys");
    expect([without.status, without.body.errors[0].field]).toEqual([422, "current_password"]);
    const wrong = await optionsFrom(own, "/user/passkeys", { current_password: "wrong" });
    expect([wrong.status, wrong.body.errors[0].message]).toEqual([
      422,
      "This is not your current password",
    ]);
    const { answer } = await addAnother(own, "Laptop", { current_password: PASSWORD });
    expect(codesIn(answer.text)).toHaveLength(10);
  });

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another RP ID", { rp_id: "evil.example" }],
    ["another challenge", { challenge: "AAAA" }],
    ["a certificate of a manufacturer", { hasCertificate: true }],
  ])("is refused with %s", async (_, lies) => {
    const own = await localBrowser(bob);
    const { body } = await optionsFrom(own, "/user/passkeys");
    const { credential } = make(body.create, await localhost(), lies);
    const refused = await own.submit(ADD, { name: "Laptop", credential });
    expect([refused.status, alertIn(refused)]).toEqual([
      422,
      "This passkey was not accepted; try again",
    ]);
    expect(await (await service()).sql`select from passkeys`).toHaveLength(0);
  });

  test("is refused twice, in another session, for a challenge of a login, and too late", async () => {
    const own = await localBrowser(bob);
    const { body } = await optionsFrom(own, "/user/passkeys");
    const origin = await localhost();
    const { credential } = make(body.create, origin);
    const send = (cookie: string, path = ADD) =>
      visit(path, {
        method: "POST",
        body: new URLSearchParams({ name: "Laptop", credential }),
        headers: { cookie, host: new URL(origin).host, "sec-fetch-site": "same-origin" },
      });
    const [, challenge] = /(passkey=[^;]+)/.exec(own.cookie) ?? [];
    const sameUser = `session=${await aSession(bob)}; ${challenge}`;
    expect((await send(sameUser)).status).toBe(422);
    expect((await send(`session=${await aSession(carol)}; ${challenge}`)).status).toBe(422);
    setSystemTime(Date.now() + 5 * 60_000 + 1_000);
    expect((await send(own.cookie)).status).toBe(422);
    setSystemTime();
    const { cookie } = own;
    expect((await send(cookie)).status).toBe(200);
    expect((await send(cookie)).status).toBe(422);
    await optionsFrom(own, "/user/login/passkey");
    expect((await send(own.cookie)).status).toBe(422);
    expect(await (await service()).sql`select from passkeys`).toHaveLength(1);
  });

  test("is refused if somebody has it, and beyond ten", async () => {
    const { passkey } = await aPasskey(carol);
    const own = await localBrowser(bob);
    const { body } = await optionsFrom(own, "/user/passkeys");
    const { credential } = make(body.create, await localhost(), { id: passkey.id });
    const taken = await own.submit(ADD, { name: "Laptop", credential });
    expect([taken.status, alertIn(taken)]).toEqual([422, "This passkey was added before"]);
    const { sql } = await service();
    await sql`
      insert into passkeys (user_id, name, rp_id, user_handle, credential_id, public_key)
      select ${await idOf(bob)}, 'Key ' || n, 'localhost', '\\x00', int4send(n), '\\x00'
      from generate_series(1, 10) n`;
    const { answer } = await addAnother(own, "Laptop");
    expect(texts(answer.text, ".error")).toEqual(["Use at most 10 passkeys: remove one first"]);
  });

  test("is not for people of a provider", async () => {
    const { sql } = await service();
    await sql`update users set password_hash = null where username = 'bob'`;
    const own = await localBrowser(bob);
    expect((await own.get("/user/profile")).text).not.toContain("Passkeys");
    const refused = await optionsFrom(own, "/user/passkeys");
    expect(refused.body.errors[0].message).toBe("Passkeys are for accounts with a password here");
    expect((await own.submit("/user/passkeys/codes", {})).status).toBe(404);
  });
});

describe("a passkey that is removed", () => {
  test("is not asked for any more; the last one takes the recovery codes with it", async () => {
    const { own, passkey } = await aPasskey(bob);
    await addAnother(own, "Phone");
    const other = await localBrowser();
    expect((await logInAlone(other, passkey)).status).toBe(303);
    const path = `/user/passkeys/remove/${await idOfPasskey("Laptop")}`;
    expect(texts((await own.get(path)).text, "h1")).toEqual(["Remove Laptop?"]);
    expect((await own.submit(path, {})).headers.get("location")).toBe("/user/profile");
    expect(await isLoggedIn(own)).toBe(true);
    expect(await isLoggedIn(other)).toBe(false);
    expect((await logInAlone(await localBrowser(), passkey)).status).toBe(401);
    expect((await withPassword(bob)).answer.headers.get("location")).toBe(STEP);
    const last = `/user/passkeys/remove/${await idOfPasskey("Phone")}`;
    expect((await own.get(last)).text).toContain("your password alone is enough");
    await own.submit(last, {});
    expect((await withPassword(bob)).answer.headers.get("location")).toBe("/");
    expect(await (await service()).sql`select from recovery_codes`).toHaveLength(0);
    const by = { event: "passkey.removed", username: "bob", target: "bob" };
    expect(await audited("passkey.removed")).toEqual([
      { ...by, details: { passkey: "Laptop" } },
      { ...by, details: { passkey: "Phone" } },
    ]);
  });

  test("needs the password in a session that is not fresh", async () => {
    const { own } = await aPasskey(bob);
    await makeOld(bob);
    const path = `/user/passkeys/remove/${await idOfPasskey("Laptop")}`;
    for (const [current_password, message] of [
      ["", "Enter your current password"],
      ["wrong", "This is not your current password"],
    ] as const) {
      const refused = await own.submit(path, { current_password });
      expect([refused.status, texts(refused.text, ".error")]).toEqual([422, [message]]);
    }
    expect((await own.submit(path, { current_password: PASSWORD })).status).toBe(303);
  });

  test("is one's own", async () => {
    await aPasskey(bob);
    const path = `/user/passkeys/remove/${await idOfPasskey("Laptop")}`;
    const other = await localBrowser(carol);
    expect((await other.get(path)).status).toBe(404);
    expect((await other.submit(path, {})).status).toBe(404);
    const form = { username: "bob", passkey_id: String(await idOfPasskey("Laptop")) };
    expect((await other.submit("/admin/users/passkey", form)).status).toBe(403);
    expect(await (await service()).sql`select from passkeys`).toHaveLength(1);
  });

  test("by an admin after a question, who sees it on the page of the user", async () => {
    const { own, passkey } = await aPasskey(bob);
    const admin = await browser(alice);
    const { text } = await admin.get("/admin/users/view/bob");
    expect(texts(text, "[aria-labelledby=passkeys-title] td[data-label=Name]")).toEqual(["Laptop"]);
    const form = { username: "bob", passkey_id: String(await idOfPasskey("Laptop")) };
    const asked = await admin.submit("/admin/users/passkey", form);
    expect(texts(asked.text, "h1")).toEqual(["Remove Laptop?"]);
    const done = await admin.submit("/admin/users/passkey", { ...form, confirmed: "true" });
    expect(done.headers.get("location")).toBe("/admin/users/view/bob");
    expect(await isLoggedIn(own)).toBe(false);
    expect((await logInAlone(await localBrowser(), passkey)).status).toBe(401);
    expect(await audited("passkey.removed")).toEqual([
      {
        event: "passkey.removed",
        username: "alice",
        target: "bob",
        details: { passkey: "Laptop" },
      },
    ]);
  });
});

describe("a recovery code", () => {
  test("replaces the passkey once, however it is typed", async () => {
    const { codes } = await aPasskey(bob);
    const { own } = await withPassword(bob, "/network");
    const typed = codes[0]!.toUpperCase().replaceAll("-", " ");
    const done = await own.submit(STEP, { code: typed });
    expect(done.headers.get("location")).toBe("/network");
    expect(decodeURIComponent(own.cookie)).toContain("9 recovery codes are left");
    expect(await isLoggedIn(own)).toBe(true);
    expect((await own.get("/user/profile")).text).toContain("9 recovery codes are left");
    const again = (await withPassword(bob)).own;
    const refused = await again.submit(STEP, { code: codes[0]! });
    expect([refused.status, texts(refused.text, ".error")]).toEqual([
      422,
      ["This is none of your recovery codes, or it was used before"],
    ]);
    const [used] = await audited("recovery_code.used");
    expect(used).toMatchObject({ username: "bob", details: { left: 9 } });
    const all = JSON.stringify((await api(audrey).get("/audit?per_page=100")).body);
    for (const code of codes) expect(all).not.toContain(code);
  });

  test("of another user does not fit, and one does not fit twice at once", async () => {
    const { codes } = await aPasskey(bob);
    await aPasskey(carol);
    const carols = (await withPassword(carol)).own;
    expect((await carols.submit(STEP, { code: codes[0]! })).status).toBe(422);
    const [one, other] = [await withPassword(bob), await withPassword(bob)];
    const answers = await Promise.all(
      [one, other].map(({ own }) => own.submit(STEP, { code: codes[0]! })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422]);
  });

  test("of earlier ones is void when new ones are generated", async () => {
    const { own, codes } = await aPasskey(bob);
    expect((await own.get("/user/passkeys/codes")).text).toContain("10 of your codes are left");
    const fresh = codesIn((await own.submit("/user/passkeys/codes", {})).text);
    expect(fresh).toHaveLength(10);
    const waiting = (await withPassword(bob)).own;
    expect((await waiting.submit(STEP, { code: codes[1]! })).status).toBe(422);
    expect((await waiting.submit(STEP, { code: fresh[1]! })).status).toBe(303);
    await makeOld(bob);
    expect((await own.submit("/user/passkeys/codes", { current_password: "" })).status).toBe(422);
  });

  test("can be guessed ten times; the right password in between does not help", async () => {
    const { codes } = await aPasskey(bob);
    let { own } = await withPassword(bob);
    for (let guess = 0; guess < 10; guess += 1) {
      if (guess === 9) ({ own } = await withPassword(bob));
      expect((await own.submit(STEP, { code: `guess-${guess}` })).status).toBe(422);
    }
    const refused = await own.submit(STEP, { code: codes[0]! });
    expect(refused.status).toBe(429);
    expect(alertIn(refused)).toStartWith("Too many failed logins");
  });
});

describe("a group that needs a passkey", () => {
  async function require(...groups: string[]): Promise<void> {
    const form = Object.fromEntries(groups.map((group) => [group, "true"]));
    const { status } = await (await localBrowser(alice)).submit("/admin/sign-in/passkeys", form);
    expect(status).toBe(303);
  }

  test("leads its members to set one up at the next login, and lets them do nothing before", async () => {
    const before = await localBrowser(bob);
    await require("inventory");
    expect(await isLoggedIn(before)).toBe(true);
    const { own, answer } = await withPassword(bob, "/inventory");
    expect(answer.headers.get("location")).toBe(STEP);
    expect(texts((await own.get(STEP)).text, "h1")).toEqual(["Set up a passkey"]);
    for (const path of ["/", "/inventory/items", "/user/profile", ADD]) {
      expect((await own.get(path)).headers.get("location"), path).toStartWith("/user/login");
    }
    expect((await own.submit(STEP, { code: "AAAAA" })).status).toBe(422);
    const { body } = await optionsFrom(own, STEP);
    const { passkey, credential } = make(body.create, await localhost());
    const done = await own.submit(STEP, { name: "Laptop", credential });
    expect(codesIn(done.text)).toHaveLength(10);
    expect(elements(done.text, "a.primary")[0]?.attributes.href).toBe("/inventory");
    expect(await isLoggedIn(own)).toBe(true);
    expect(await isLoggedIn(before)).toBe(false);
    expect((await takeStep((await withPassword(bob)).own, passkey)).status).toBe(303);
    const [added] = await audited("passkey.added");
    expect(added).toMatchObject({ username: "bob", target: "bob" });
  });

  test("is in the audit log, is shown, and changes nothing for others and break-glass accounts", async () => {
    const { sql } = await service();
    await sql`update users set is_break_glass = true where username = 'alice'`;
    await require("admin", "inventory");
    expect((await withPassword(alice)).answer.headers.get("location")).toBe("/");
    expect((await withPassword(dave)).answer.headers.get("location")).toBe("/");
    const { text } = await (await browser(alice)).get("/admin/sign-in");
    const boxes = elements(text, "[aria-labelledby=passkeys-title] [type=checkbox]");
    expect(boxes.filter(({ attributes }) => "checked" in attributes)).toHaveLength(2);
    await require();
    expect((await withPassword(bob)).answer.headers.get("location")).toBe("/");
    expect(await audited("sign_in.changed")).toMatchObject([
      { username: "alice", details: { passkeys_required_of: "admin, inventory" } },
      { username: "alice", details: { passkeys_required_of: "nobody" } },
    ]);
    const nobody = await localBrowser(bob);
    expect((await nobody.submit("/admin/sign-in/passkeys", {})).status).toBe(403);
  });

  test("refuses passwords at the API, and to remove the last passkey", async () => {
    await require("inventory");
    const { status, body } = await api(stranger).post("/user/login", {
      username: "bob",
      password: PASSWORD,
    });
    expect([status, body.detail]).toEqual([
      401,
      expect.stringContaining("generate a personal token"),
    ]);
    const { own } = await aPasskey(bob);
    const path = `/user/passkeys/remove/${await idOfPasskey("Laptop")}`;
    const refused = await own.submit(path, {});
    expect([refused.status, alertIn(refused)]).toEqual([
      422,
      "Your group needs a passkey: add another one before you remove this",
    ]);
  });

  test("does not let the password alone add a passkey to one that is there", async () => {
    await require("inventory");
    const { own } = await withPassword(bob);
    const { body } = await optionsFrom(own, STEP);
    const { credential } = make(body.create, await localhost());
    await aPasskey(bob);
    const refused = await own.submit(STEP, { name: "Another", credential });
    expect(refused.status).toBe(422);
    expect(await isLoggedIn(own)).toBe(false);
    expect(await (await service()).sql`select from passkeys`).toHaveLength(1);
  });

  test("lets the password set up one passkey, also when two browsers do it at once", async () => {
    await require("inventory");
    const browsers = [(await withPassword(bob)).own, (await withPassword(bob)).own];
    const made = await Promise.all(
      browsers.map(async (own) => {
        const { body } = await optionsFrom(own, STEP);
        return { own, credential: make(body.create, await localhost()).credential };
      }),
    );
    const answers = await Promise.all(
      made.map(({ own, credential }) => own.submit(STEP, { name: "Laptop", credential })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    expect(await (await service()).sql`select from passkeys`).toHaveLength(1);
  });

  test("is refused where passkeys do not work, which the checks of the installation say", async () => {
    const own = await browser(alice);
    const refused = await own.submit("/admin/sign-in/passkeys", { admin: "true" });
    expect(refused.status).toBe(422);
    expect(alertIn(refused)).toContain("PUBLIC_URL");
    await require("inventory", "network");
    const { text } = await own.get("/admin/system");
    expect(text).toContain(
      "Passkeys are needed by inventory, network, but work only with PUBLIC_URL",
    );
  });
});

describe("the host name of passkeys", () => {
  test("is that of PUBLIC_URL, behind a proxy as well, and never that of a request", async () => {
    const server = await serve({ PUBLIC_URL: "https://cadastre.example.org", TRUST_PROXY: "on" });
    const headers = {
      host: "cadastre.example.org",
      accept: "application/json",
      "x-forwarded-proto": "http",
      "sec-fetch-site": "same-origin",
    };
    const path = `${server.url.origin}/user/login/passkey/options`;
    const { body } = await visit(path, { method: "POST", headers });
    expect(body.get.rpId).toBe("cadastre.example.org");
    await server.stop(true);
    const byAddress = await serve({ PUBLIC_URL: "https://192.0.2.7" });
    const { status } = await visit(`${byAddress.url.origin}/user/login/passkey/options`, {
      method: "POST",
      headers: { ...headers, host: "192.0.2.7" },
    });
    expect(status).toBe(422);
    await byAddress.stop(true);
    const { origin } = await service();
    for (const host of ["evil.example", "127.0.0.1", "[::1]:3000"]) {
      const { status } = await visit(`${origin}/user/login/passkey/options`, {
        method: "POST",
        headers: { ...headers, host },
      });
      expect([host, status]).toEqual([host, 422]);
    }
  });

  test("of a passkey has to be the present one: another one needs a recovery code", async () => {
    const { passkey, codes } = await aPasskey(bob);
    await (await service()).sql`update passkeys set rp_id = 'old.example.org'`;
    const { own } = await withPassword(bob);
    const refused = await optionsFrom(own, STEP);
    expect(refused.body.errors[0].message).toBe(
      "No passkey of yours works at localhost: use a recovery code",
    );
    expect((await logInAlone(await localBrowser(), passkey)).status).toBe(401);
    expect((await own.submit(STEP, { code: codes[0]! })).status).toBe(303);
  });
});

test("a login that waits goes on at an address where passkeys do not work, by a recovery code", async () => {
  const { codes } = await aPasskey(bob);
  const own = await browser(stranger);
  await own.submit("/user/login", { username: "bob", password: PASSWORD });
  expect((await own.get(STEP)).text).toContain("Passkeys do not work at this address");
  expect((await own.submit(STEP, { code: codes[0]! })).status).toBe(303);
});
