// Logins with a passkey: after the password, and alone. The authenticator is one in software.
import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import * as config from "../../src/config.ts";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import type { Lies } from "../support/authenticator.ts";
import { use } from "../support/authenticator.ts";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import {
  alice,
  api,
  audrey,
  bob,
  carol,
  PASSWORD,
  service,
  stranger,
  visit,
} from "../support/mod.ts";
import {
  aPasskey,
  isLoggedIn,
  localBrowser,
  localhost,
  logInAlone,
  optionsFrom,
  takeStep,
  withPassword,
} from "../support/passkeys.ts";

const STEP = "/user/login/second-step";
const ALONE = "/user/login/passkey";

afterEach(async () => {
  setSystemTime();
  await (await service())
    .sql`delete from settings where name in ('passkey_groups', 'local_passwords')`;
});

async function entries(event: string) {
  return (await api(audrey).get(`/audit?event=${event}&sort=id&per_page=100`)).body;
}

function alertIn({ text }: { text: string }): string | undefined {
  return texts(text, "[role=alert]")[0];
}

/** A login with a passkey alone, from a browser with these cookies. */
async function sendWith(cookie: string, credential: string) {
  const { host } = new URL(await localhost());
  const headers = { host, cookie, "sec-fetch-site": "same-origin" };
  return visit(ALONE, { method: "POST", body: new URLSearchParams({ credential }), headers });
}

describe("a login with password and passkey", () => {
  test("opens no session before the passkey has answered, and goes on to the wanted page", async () => {
    const { passkey } = await aPasskey(bob);
    const { own, answer } = await withPassword(bob, "/network/hosts");
    expect(answer.headers.get("location")).toBe(STEP);
    expect(own.cookie).not.toContain("session=");
    expect(await isLoggedIn(own)).toBe(false);
    expect(texts((await own.get(STEP)).text, "h1")).toEqual(["Second step"]);
    const done = await takeStep(own, passkey);
    expect([done.status, done.headers.get("location")]).toEqual([303, "/network/hosts"]);
    expect(await isLoggedIn(own)).toBe(true);
    expect(own.cookie).not.toContain("second_step=");
    const [asked] = await entries("login.second_step");
    expect(asked).toMatchObject({ username: "bob", details: {} });
    expect((await entries("login.succeeded")).at(-1).details).toEqual({
      credential: "session",
      by: "password and passkey",
      passkey: "Laptop",
    });
  });

  test("a touch is enough after the password, and a passkey that does not count", async () => {
    const { passkey } = await aPasskey(bob);
    for (const lies of [{ isUnverified: true, count: 0 }, { count: 0 }, { count: 7 }]) {
      const { own } = await withPassword(bob);
      expect((await takeStep(own, passkey, lies)).status).toBe(303);
    }
  });

  test("the API wants a personal token instead, but only from who knows the password", async () => {
    await aPasskey(bob);
    const login = (password: string) =>
      api(stranger).post("/user/login", { username: "bob", password });
    const refused = await login(PASSWORD);
    expect(refused.status).toBe(401);
    expect(refused.body.detail).toContain("generate a personal token");
    const wrong = await login("a wrong password");
    const unknown = await api(stranger).post("/user/login", { username: "nobody", password: "x" });
    const { request_id: _, ...one } = wrong.body;
    const { request_id: __, ...other } = unknown.body;
    expect(one).toEqual(other);
    expect((await entries("login.failed"))[0].details).toEqual({ reason: "no second step" });
  });

  test("a new password, a deactivation and time end a login that waits", async () => {
    const { passkey } = await aPasskey(bob);
    const { sql } = await service();
    const interruptions = [
      () => sql`update users set password_hash = password_hash || ' ' where username = 'bob'`,
      () => sql`update users set deactivated_at = now() where username = 'bob'`,
      () => setSystemTime(Date.now() + 16 * 60_000),
    ];
    for (const interrupt of interruptions) {
      const { own } = await withPassword(bob);
      const { body } = await optionsFrom(own, STEP);
      const credential = use(passkey, body.get, await localhost());
      const restore = await sql`select password_hash from users where username = 'bob'`;
      await interrupt();
      const { headers } = await own.submit(STEP, { credential });
      expect(headers.get("location")).toBe("/user/login");
      expect(await isLoggedIn(own)).toBe(false);
      setSystemTime();
      await sql`
        update users set deactivated_at = null, password_hash = ${restore[0].password_hash}
        where username = 'bob'`;
    }
  });
});

describe("a login with a passkey alone", () => {
  test("needs no username, and goes on to the wanted page", async () => {
    const { passkey } = await aPasskey(bob);
    const own = await localBrowser();
    const { body } = await optionsFrom(own, ALONE);
    expect(body.get).toMatchObject({
      rpId: "localhost",
      allowCredentials: [],
      userVerification: "required",
    });
    const done = await logInAlone(own, passkey);
    expect([done.status, done.headers.get("location")]).toEqual([303, "/network"]);
    expect((await own.get("/user/profile")).text).toContain("bob");
    expect((await entries("login.succeeded"))[0].details.by).toBe("passkey");
  });

  test("only goes on within this site", async () => {
    const { passkey } = await aPasskey(bob);
    const own = await localBrowser();
    const { body } = await optionsFrom(own, ALONE);
    const credential = use(passkey, body.get, await localhost());
    const { headers } = await own.submit(ALONE, { credential, next: "//evil.example" });
    expect(headers.get("location")).toBe("/");
  });

  test("is for break-glass accounts if local passwords are", async () => {
    const { passkey } = await aPasskey(bob);
    const { sql } = await service();
    await sql`insert into settings (name, value) values ('local_passwords', 'break_glass')`;
    await sql`update users set is_break_glass = true where username = 'alice'`;
    expect((await logInAlone(await localBrowser(), passkey)).status).toBe(401);
    const keeper = await aPasskey(alice);
    expect((await logInAlone(await localBrowser(), keeper.passkey)).status).toBe(303);
    expect(await entries("login.break_glass")).toHaveLength(1);
  });

  test("is refused for a deactivated user", async () => {
    const { passkey } = await aPasskey(bob);
    await (await service()).sql`update users set deactivated_at = now() where username = 'bob'`;
    const refused = await logInAlone(await localBrowser(), passkey);
    expect([refused.status, alertIn(refused)]).toEqual([401, "This passkey was not accepted"]);
  });
});

const WRONG: Array<[string, Lies, reason: string]> = [
  ["the origin of another site", { origin: "http://localhost.evil.example" }, "origin"],
  ["another port of this host", { origin: "http://localhost:1" }, "origin"],
  ["the RP ID of another site", { rp_id: "evil.example" }, "RP ID"],
  ["another challenge", { challenge: "AAAA" }, "challenge"],
  ["a broken signature", { isBroken: true }, "signature"],
  ["an unknown credential", { id: Buffer.alloc(32, 1) }, "not known"],
  ["the handle of another user", { user_handle: "AAAA" }, "another user"],
  ["a counter that goes back", { count: 1 }, "counter"],
  ["a counter that stays", { count: 5 }, "counter"],
  ["a counter that is 0 again", { count: 0 }, "counter"],
];

describe("an answer is refused with", () => {
  test("one sentence, whatever is wrong; the audit log has the reason", async () => {
    const { passkey } = await aPasskey(bob);
    expect((await logInAlone(await localBrowser(), passkey, { count: 5 })).status).toBe(303);
    const ways: Array<[string, typeof logInAlone, typeof WRONG]> = [
      ["second step", takeStep, WRONG],
      [
        "alone",
        logInAlone,
        [
          ...WRONG,
          ["no verification of the person", { isUnverified: true }, "verification"],
          ["no handle", { user_handle: null }, "does not say"],
        ],
      ],
    ];
    for (const [way, answerWith, cases] of ways) {
      // One login by password for all of them.
      const { own } = await withPassword(bob);
      for (const [what, lies, reason] of cases) {
        const stranger = way === "alone" ? await localBrowser() : own;
        const refused = await answerWith(stranger, { ...passkey, count: 5 }, lies);
        expect([way, what, refused.status]).toEqual([way, what, 401]);
        expect(alertIn(refused), what).toBe("This passkey was not accepted");
        expect(await isLoggedIn(stranger), what).toBe(false);
        const { details } = (await entries("login.failed")).at(-1);
        expect(details.reason, what).toContain(reason);
      }
      if (way === "second step")
        expect((await takeStep(own, { ...passkey, count: 5 })).status).toBe(303);
    }
  });

  test("the passkey of another user, who also has one", async () => {
    const { passkey } = await aPasskey(carol);
    await aPasskey(bob);
    const { own } = await withPassword(bob);
    const refused = await takeStep(own, passkey);
    expect([refused.status, alertIn(refused)]).toEqual([401, "This passkey was not accepted"]);
    const [{ details, username }] = await entries("login.failed");
    expect([username, details.reason]).toEqual(["bob", "the passkey is of another user"]);
  });

  test("an answer that was given before, and with one that comes twice at once", async () => {
    const { passkey } = await aPasskey(bob);
    const own = await localBrowser();
    const { body } = await optionsFrom(own, ALONE);
    const { cookie } = own;
    const origin = await localhost();
    const first = use(passkey, body.get, origin, { count: 1 });
    const second = use(passkey, body.get, origin, { count: 2 });
    const send = (credential: string) => sendWith(cookie, credential);
    const statuses = await Promise.all([send(first), send(second)]);
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([303, 422]);
    const replayed = await send(use(passkey, body.get, origin, { count: 9 }));
    expect(replayed.status).toBe(422);
    expect(alertIn(replayed)).toStartWith("This took too long, or was begun in another window");
    const { sql } = await service();
    await sql`insert into used_challenges values ('\\x00', now() - interval '61 minutes')`;
    await deleteExpired(config.readConfig({}));
    // Those of the new passkey and of the login.
    expect(await sql`select from used_challenges`).toHaveLength(2);
  });

  test("a challenge that is too old, of another browser, or for another purpose", async () => {
    const { passkey, own: bobs } = await aPasskey(bob);
    const origin = await localhost();
    const own = await localBrowser();
    const { body } = await optionsFrom(own, ALONE);
    const credential = use(passkey, body.get, origin);
    const elsewhere = await localBrowser();
    expect((await elsewhere.submit(ALONE, { credential })).status).toBe(422);
    await optionsFrom(elsewhere, ALONE);
    expect((await elsewhere.submit(ALONE, { credential })).status).toBe(401);
    setSystemTime(Date.now() + 5 * 60_000 + 1_000);
    expect((await own.submit(ALONE, { credential })).status).toBe(422);
    setSystemTime();
    // The challenge for a new passkey is no challenge for a login.
    const { body: adding } = await optionsFrom(bobs, "/user/passkeys");
    const { challenge } = adding.create;
    const other = use(passkey, { rpId: "localhost", challenge }, origin);
    expect((await sendWith(bobs.cookie, other)).status).toBe(422);
    expect((await own.submit(ALONE, { credential })).status).toBe(303);
  });

  test("what is no credential", async () => {
    const own = await localBrowser();
    await optionsFrom(own, ALONE);
    for (const credential of [
      "",
      "{",
      "[]",
      "null",
      '{"id":1}',
      '{"id":"AA"}',
      '{"id":"\\u0000"}',
    ]) {
      const { status } = await own.submit(ALONE, { credential });
      expect([credential, status]).toEqual([credential, credential === "" ? 422 : 401]);
    }
    await aPasskey(bob);
    const waiting = await withPassword(bob);
    await optionsFrom(waiting.own, STEP);
    for (const credential of ["{", "null", '{"id":"AA"}']) {
      expect((await waiting.own.submit(STEP, { credential })).status).toBe(401);
    }
  });

  test("a form of another site", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    const own = await localBrowser();
    for (const path of [ALONE, STEP, `${ALONE}/options`, `${STEP}/options`]) {
      expect([path, (await own.submit(path, {}, { headers })).status]).toEqual([path, 403]);
    }
  });
});

describe("the login page", () => {
  test("offers passkeys where they work, and does not say who has one", async () => {
    await aPasskey(bob);
    const here = await (await localBrowser()).get("/user/login");
    expect(here.text).toContain("Log in with a passkey");
    expect(here.text).toContain("Passkeys need scripting");
    const { text } = await (await browser(stranger)).get("/user/login");
    expect(text).not.toContain("passkey");
    const wrong = { username: "bob", password: "wrong" };
    const refused = await (await localBrowser()).submit("/user/login", wrong);
    const unknown = await (await localBrowser()).submit("/user/login", {
      ...wrong,
      username: "eve",
    });
    const plain = (html: string) =>
      html
        .replace(/nonce="[^"]*"|value="(bob|eve)"/g, "")
        .replace(/"inlineScriptNonce":"\w+"/g, "");
    expect([refused.status, plain(refused.text)]).toEqual([unknown.status, plain(unknown.text)]);
  });
});
