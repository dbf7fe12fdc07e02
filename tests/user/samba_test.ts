// Sign-in by a true Active Directory. Only with all checks: making the domain takes 6 s of a processor.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { seal } from "../../src/auth/sealed.ts";
import { refresh } from "../../src/user/sign_in/refresh.ts";
import { aDirectory } from "../support/directory.ts";
import { api, service, stranger } from "../support/mod.ts";
import {
  type ActiveDirectory,
  AD_READER,
  activeDirectory,
  DOMAIN,
  hasActiveDirectory,
} from "../support/samba.ts";

setDefaultTimeout(300_000);

const SECRET = "Password-9-Of-A-Person";
let directory: ActiveDirectory;
let serial = 0;

describe.skipIf(!hasActiveDirectory)("an Active Directory", () => {
  beforeAll(async () => {
    directory = await activeDirectory();
  });

  async function connected(settings: object = {}, mappings: Record<string, string> = {}) {
    const { ldaps: url, ca } = directory;
    const all = { url, ca, base: DOMAIN, bind_dn: AD_READER.dn, is_active_directory: true };
    await aDirectory({ ...all, ...settings }, mappings);
    const { sql } = await service();
    await sql`update identity_providers set secret = ${seal(AD_READER.password, "provider")}`;
  }

  async function aPerson(attributes: Record<string, string> = {}) {
    serial += 1;
    const name = `erin${serial}`;
    return { name, dn: await directory.addPerson(name, SECRET, attributes) };
  }

  function logIn(username: string, password = SECRET) {
    return api(stranger).post("/user/login", { username, password });
  }

  test("gives nested groups and the primary group, and a person by objectGUID", async () => {
    const { name, dn } = await aPerson();
    const inner = await directory.addGroup("inner", [dn]);
    const middle = await directory.addGroup("middle", [inner.dn]);
    await directory.addGroup("outer", [middle.dn]);
    const staff = await directory.addGroup("staff of the lab", [dn]);
    await directory.change(dn, { primaryGroupID: staff.rid });
    await connected({}, { outer: "network", "staff of the lab": "inventory", inner: "auditor" });
    expect((await logIn(name.toUpperCase())).status).toBe(200);
    const { sql } = await service();
    const [found] = await sql`
      select username, display_name, users.groups, subject from identities
      join users on users.id = user_id`;
    expect(found).toMatchObject({
      username: name,
      display_name: `Person ${name}`,
      groups: ["auditor", "inventory", "network"],
      subject: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test("is asked by STARTTLS, too, and only with its authority", async () => {
    const { name } = await aPerson();
    await connected({ url: directory.ldap });
    expect((await logIn(name)).status).toBe(200);
    const { sql } = await service();
    await sql`update identity_providers set settings = settings - 'ca'`;
    expect((await logIn(name)).status).toBe(503);
  });

  test("says what is wrong with an account", async () => {
    await connected();
    const locked = await aPerson();
    for (let attempt = 0; attempt < 3; attempt += 1) await logIn(locked.name, "wrong");
    const people: Array<[string, { name: string }]> = [
      ["Your account is disabled", await aPerson({ userAccountControl: "514" })],
      ["Your account has expired", await aPerson({ accountExpires: "130000000000000000" })],
      ["You have to change your password first", await aPerson({ pwdLastSet: "0" })],
      ["Your account is locked", locked],
      ["Invalid credentials", { name: "nobody" }],
      ["Invalid credentials", { name: "erin*" }],
    ];
    for (const [sentence, { name }] of people) {
      const { status, body } = await logIn(name);
      expect([name, status, body.message]).toEqual([name, 401, sentence]);
    }
  });

  test("takes a person out by a refresh who is disabled, and lets them back", async () => {
    const { name, dn } = await aPerson();
    await connected();
    const { body } = await logIn(name);
    const made = await api({ token: body.access_token }).post("/user/tokens", {});
    const { sql } = await service();
    for (const [control, status] of [
      ["514", 401],
      ["512", 200],
    ] as const) {
      await directory.change(dn, { userAccountControl: control });
      await sql`update identities set checked_at = checked_at - interval '5 minutes'`;
      await refresh();
      const profile = await api({ token: made.body.token }).get("/user/profile");
      expect([control, profile.status]).toEqual([control, status]);
    }
  });
});
