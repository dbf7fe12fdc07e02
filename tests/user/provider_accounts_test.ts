// What admins and providers may each do with the accounts of a provider.
import { beforeEach, describe, expect, test } from "bun:test";
import { flush } from "../../src/auth/audit_limits.ts";
import { browser, logIn } from "../support/browser.ts";
import { aDirectory } from "../support/directory.ts";
import { texts } from "../support/html.ts";
import { alice, api, idOf, PASSWORD, service, stranger } from "../support/mod.ts";
import { aProvider, type OidcServer, oidcServer, signIn } from "../support/oidc.ts";

let server: OidcServer;

beforeEach(async () => {
  server = await oidcServer();
  server.people = { "sub-erin": { preferred_username: "erin", groups: ["boss"] } };
});

describe("the last admin", () => {
  test("is one with a password: those of a provider may be gone tomorrow", async () => {
    await aProvider({ mappings: { boss: "admin" } });
    const { own } = await signIn({ server, as: "sub-erin" });
    const path = `/user/users/${await idOf(alice)}`;
    const sentence = "At least one admin with a password must remain";
    for (const refused of [
      await api(alice).patch(path, { groups: ["network"] }),
      await api(alice).delete(path),
    ]) {
      expect([refused.status, refused.body.message]).toEqual([
        422,
        expect.stringContaining(sentence),
      ]);
    }
    const action = { username: "alice", action: "deactivate", confirmed: "true" };
    expect((await own.submit("/admin/users/action", action)).status).toBe(422);
  });

  test("gets in when the mapping that made the other admins is removed", async () => {
    await aProvider({ mappings: { boss: "admin" } });
    const { own } = await signIn({ server, as: "sub-erin" });
    const { sql } = await service();
    await sql`update users set is_break_glass = true where username = 'alice'`;
    await own.submit("/admin/sign-in/passwords", { only_break_glass: "true" });
    try {
      const [{ id }] = await sql`select id from group_mappings`;
      await own.submit("/admin/sign-in/mapping/lab", { remove: String(id) });
      await signIn({ server, as: "sub-erin" });
      expect((await own.get("/admin/sign-in")).status).toBe(403);
      expect((await (await logIn(alice)).get("/admin/sign-in")).status).toBe(200);
    } finally {
      await sql`delete from settings where name = 'local_passwords'`;
    }
  });
});

describe("an account that its provider shut out", () => {
  test("stays out when an admin has deactivated it since", async () => {
    await aProvider({ settings: { needs_group: true }, mappings: { boss: "network" } });
    await signIn({ server, as: "sub-erin" });
    server.people["sub-erin"]!.groups = [];
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    const action = (name: string) => ({ username: "erin", action: name, confirmed: "true" });
    const own = await logIn(alice);
    await own.submit("/admin/users/action", action("activate"));
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    await own.submit("/admin/users/action", action("activate"));
    await own.submit("/admin/users/action", action("deactivate"));
    server.people["sub-erin"]!.groups = ["boss"];
    const { status, text } = await signIn({ server, as: "sub-erin" });
    expect(status).toBe(401);
    expect(texts(text, "[role=alert]")[0]).toStartWith("This account is deactivated");
  });
});

describe("settings of a directory", () => {
  const input = { name: "Directory", url: "ldaps://ldap.test", base: "dc=test", secret: "x" };

  test("keep the attribute by which people are known", async () => {
    await aDirectory({ url: "ldaps://ldap.test", base: "dc=test" });
    const own = await logIn(alice);
    const change = (subject_attribute: string) =>
      own.submit("/admin/sign-in/edit/directory", { ...input, subject_attribute });
    expect((await change("uid")).status).toBe(303);
    const { sql } = await service();
    await sql`
      insert into identities (provider_id, user_id, authority, subject)
      select identity_providers.id, users.id, 'uid', 'bob' from identity_providers, users
      where username = 'bob'`;
    const refused = await change("entryUUID");
    expect(refused.status).toBe(422);
    expect(texts(refused.text, ".error")[0]).toContain("known by uid: add another provider");
    expect((await change("UID")).status).toBe(303);
  });

  test.each(["(uid={username}", "(uid={username}))", "(&{username})", "(uid=\\x{username})"])(
    "refuse the filter %p",
    async (user_filter) => {
      const own = await logIn(alice);
      const fields = { key: "directory", ...input, user_filter };
      const { status, text } = await own.submit("/admin/sign-in/create/ldap", fields);
      expect(status).toBe(422);
      expect(texts(text, ".error")[0]).toMatch(/filter/i);
    },
  );
});

describe("a name", () => {
  test.each(["ＢＯＢ", " Bob ", "bob\u00a0"])(
    "typed as %p is bob, for a password here",
    async (name) => {
      const { status } = await api(stranger).post("/user/login", {
        username: name,
        password: PASSWORD,
      });
      expect(status).toBe(200);
    },
  );
});

test("refused logins without end are counted on few entries of the audit log", async () => {
  await aProvider();
  const nobody = await browser(stranger);
  for (let at = 0; at < 40; at += 1) await nobody.get("/user/login/with/lab/callback?code=x");
  await flush();
  const { sql } = await service();
  const [found] = await sql`
    select count(*)::int as entries, sum(count)::int as refusals from audit_log
    where event = 'login.failed'`;
  expect(found.refusals).toBe(40);
  expect(found.entries).toBeLessThanOrEqual(30);
});
