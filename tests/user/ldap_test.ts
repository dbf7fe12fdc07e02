// Sign-in by a directory: OpenLDAP, started by the tests.
import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { authenticate } from "../../src/user/sign_in/ldap.ts";
import { providerToAsk } from "../../src/user/sign_in/providers.ts";
import { refresh } from "../../src/user/sign_in/refresh.ts";
import { browser } from "../support/browser.ts";
import { aDirectory } from "../support/directory.ts";
import { texts } from "../support/html.ts";
import { alice, api, PASSWORD, service, stranger } from "../support/mod.ts";
import { isMissing } from "../support/programs.ts";
import { GROUPS, type Slapd, slapd } from "../support/slapd.ts";

setDefaultTimeout(60_000);

const SECRET = "the password of erin";
let directory: Slapd;
let serial = 0;
let erin = { uid: "", dn: "" };

describe.skipIf(isMissing("slapd") || isMissing("openssl"))("a directory", () => {
  beforeAll(async () => {
    directory = await slapd();
  });

  // Each test has a person of its own, because the directory is not emptied.
  beforeEach(async () => {
    serial += 1;
    const uid = `erin${serial}`;
    erin = { uid, dn: await directory.addPerson(uid, SECRET) };
  });

  function logIn(username: string, password = SECRET) {
    return api(stranger).post("/user/login", { username, password });
  }

  function ldaps(settings: Record<string, unknown> = {}) {
    return { url: directory.ldaps, ca: directory.ca, ...settings };
  }

  async function accountOf(username: string) {
    const { sql } = await service();
    const [found] = await sql`
      select display_name, email, groups, password_hash, deactivated_at is not null as gone from users
      where username = ${username}`;
    return found;
  }

  /** As if the last look at the directory was this long ago. */
  async function age(interval: string): Promise<void> {
    const { sql } = await service();
    await sql.unsafe(`update identities
      set checked_at = checked_at - interval '${interval}', confirmed_at = confirmed_at - interval '${interval}'`);
  }

  describe("a login", () => {
    test("by the form and by the API makes an account with groups by memberOf", async () => {
      await directory.addGroup(`net${serial}`, [erin.dn]);
      await aDirectory(ldaps(), {
        [`net${serial}`]: "network",
        [`cn=net*,${GROUPS}`]: "inventory",
      });
      const own = await browser(stranger);
      const fields = { username: erin.uid.toUpperCase(), password: SECRET, next: "/network/hosts" };
      const { status, headers } = await own.submit("/user/login", fields);
      expect([status, headers.get("location")]).toEqual([303, "/network/hosts"]);
      expect((await own.get("/network/hosts")).status).toBe(200);
      expect(await accountOf(erin.uid)).toEqual({
        display_name: `Person ${erin.uid}`,
        email: `${erin.uid}@example.org`,
        groups: ["inventory", "network"],
        password_hash: null,
        gone: false,
      });
      const { body } = await logIn(erin.uid);
      const token = body.access_token;
      expect((await api({ token }).get("/user/profile")).body.username).toBe(erin.uid);
      const log = (await api(alice).get(`/audit?username=${erin.uid}&event=login.succeeded`)).body;
      expect(log.map((entry: any) => entry.details.credential)).toEqual(["token", "session"]);
    });

    test("never gets a person into a service account of the same name", async () => {
      await directory.addGroup(`net${serial}`, [erin.dn]);
      await aDirectory(ldaps(), { [`net${serial}`]: "network" });
      await api(alice).post("/user/service_accounts", { username: erin.uid, groups: ["admin"] });
      const { body } = await logIn(erin.uid);
      const { body: who } = await api({ token: body.access_token }).get("/user/profile");
      expect([who.username, who.groups]).toEqual([`${erin.uid}-2`, ["network"]]);
    });

    test("finds groups by search, and groups in groups", async () => {
      const inner = await directory.addGroup(`inner${serial}`, [erin.dn]);
      const middle = await directory.addGroup(`middle${serial}`, [inner]);
      await directory.addGroup(`outer${serial}`, [middle, inner]);
      const mappings = { [`inner${serial}`]: "inventory", [`outer${serial}`]: "network" };
      await aDirectory(ldaps({ group_base: GROUPS }), mappings);
      await logIn(erin.uid);
      expect((await accountOf(erin.uid)).groups).toEqual(["inventory"]);
      const { sql } = await service();
      await sql`update identity_providers set settings = settings || '{"nested_groups": true}'`;
      await logIn(erin.uid);
      expect((await accountOf(erin.uid)).groups).toEqual(["inventory", "network"]);
    });

    test("is encrypted by STARTTLS, goes to a socket, or is plain where the setting says so", async () => {
      const { ca, ldap, ldapi } = directory;
      const ways = [
        { url: ldap, ca },
        { url: ldapi },
        { url: ldap, send_passwords_without_encryption: true },
      ];
      for (const settings of ways) {
        const { sql } = await service();
        await sql`delete from identities`;
        await sql`delete from identity_providers`;
        await aDirectory(settings);
        expect([settings.url, (await logIn(erin.uid)).status]).toEqual([settings.url, 200]);
      }
    });

    test.each([
      ["an authority that is not trusted", () => ({ url: directory.ldaps })],
      ["the same by STARTTLS", () => ({ url: directory.ldap })],
      [
        "a certificate for another name",
        () => ({ url: directory.ldaps.replace("localhost", "127.0.0.1"), ca: directory.ca }),
      ],
      [
        "the same by STARTTLS",
        () => ({ url: directory.ldap.replace("localhost", "127.0.0.1"), ca: directory.ca }),
      ],
    ])("is refused for %s", async (_, settings) => {
      await aDirectory(settings());
      const { status, body } = await logIn(erin.uid);
      expect(status).toBe(503);
      expect(body.message).toStartWith("Directory does not respond");
      const log = (await api(alice).get("/audit?event=login.failed")).body;
      expect(log[0].details.reason).toMatch(/certificate|altname|issuer/i);
    });

    test("with a wrong pair is refused like every other", async () => {
      await aDirectory(ldaps());
      const local = await logIn("bob", "not the password");
      const pairs = [
        [erin.uid, "not the password"],
        ["nobody", SECRET],
        ["*", SECRET],
        ["*)(uid=*", SECRET],
        [`${erin.uid})(|(uid=*`, SECRET],
        [`${erin.uid.slice(0, 3)}*`, SECRET],
        [`${erin.uid}\\`, SECRET],
      ] as const;
      for (const [username, password] of pairs) {
        const answer = await logIn(username, password);
        expect([username, answer.status]).toEqual([username, 401]);
        expect({ ...answer.body, request_id: "" }).toEqual({ ...local.body, request_id: "" });
        await (await service()).sql`delete from login_failures`;
      }
    });

    test("with an empty password is refused, although the directory takes it", async () => {
      await aDirectory(ldaps());
      for (const password of ["", "\0", "\0x"]) {
        expect((await logIn(erin.uid, password)).status).toBeOneOf([401, 422]);
      }
      expect(await accountOf(erin.uid)).toBeUndefined();
      // Forms and the API refuse it before; here the directory itself would be asked.
      const provider = await providerToAsk("directory");
      if (provider.kind !== "ldap") throw new Error("It is a directory");
      for (const [password, isIn] of [
        ["", false],
        [`${SECRET}\0`, false],
        [SECRET, true],
      ] as const) {
        const found = await authenticate(provider, { username: erin.uid, password });
        expect([password, found !== undefined]).toEqual([password, isIn]);
      }
    });

    test("of a renamed person keeps the account", async () => {
      await aDirectory(ldaps());
      await logIn(erin.uid);
      await directory.rename(erin.dn, `emily${serial}`);
      const { body } = await logIn(`emily${serial}`);
      const { username } = (await api({ token: body.access_token }).get("/user/profile")).body;
      expect(username).toBe(erin.uid);
      expect((await logIn(erin.uid)).status).toBe(401);
    });

    test("is tried by an admin before the directory is enabled", async () => {
      await directory.addGroup(`net${serial}`, [erin.dn]);
      await aDirectory(
        ldaps({ group_base: GROUPS }),
        { [`net${serial}`]: "network" },
        { is_enabled: false },
      );
      const own = await browser(alice);
      const path = "/admin/sign-in/test/directory";
      expect((await own.get(path)).status).toBe(200);
      const right = await own.submit(path, { username: erin.uid, password: SECRET });
      expect(texts(right.text, ".note.good")[0]).toBe(`Would log in as ${erin.uid}, a new account`);
      expect(right.text).toContain(`the mapping of net${serial}`);
      expect(right.text).not.toContain(SECRET);
      const wrong = await own.submit(path, { username: erin.uid, password: "wrong" });
      expect(wrong.status).toBe(422);
      expect(await accountOf(erin.uid)).toBeUndefined();
    });
  });

  describe("a refresh", () => {
    async function aToken(): Promise<string> {
      const { body } = await logIn(erin.uid);
      const made = await api({ token: body.access_token }).post("/user/tokens", {});
      return made.body.token;
    }

    test("takes the groups anew, and asks only about people who are due", async () => {
      const net = await directory.addGroup(`net${serial}`, [erin.dn]);
      await directory.addGroup(`all${serial}`, [erin.dn]);
      await aDirectory(ldaps(), { [`net${serial}`]: "network", [`all${serial}`]: "inventory" });
      await logIn(erin.uid);
      await directory.remove(net);
      await refresh();
      expect((await accountOf(erin.uid)).groups).toEqual(["inventory", "network"]);
      await age("5 minutes");
      await refresh();
      expect((await accountOf(erin.uid)).groups).toEqual(["inventory"]);
    });

    test("finds people again, whatever the filter by which they log in", async () => {
      const user_filter =
        "(&(objectClass=person)(|(uid:caseIgnoreMatch:={username})(mail={username}@x)))";
      await aDirectory(ldaps({ user_filter }));
      const token = await aToken();
      await age("5 minutes");
      await refresh();
      expect((await api({ token }).get("/user/profile")).status).toBe(200);
    });

    test("ends the sessions and refuses the tokens of who is gone, and lets them back", async () => {
      const net = await directory.addGroup(`net${serial}`, [erin.dn]);
      await aDirectory(ldaps({ needs_group: true }), { [`net${serial}`]: "network" });
      const token = await aToken();
      const own = await browser(stranger);
      await own.submit("/user/login", { username: erin.uid, password: SECRET });
      await directory.remove(net);
      await age("5 minutes");
      await refresh();
      expect((await own.get("/user/profile")).status).toBe(303);
      expect((await api({ token }).get("/user/profile")).status).toBe(401);
      await directory.addGroup(`net${serial}`, [erin.dn]);
      await age("5 minutes");
      await refresh();
      expect((await api({ token }).get("/user/profile")).status).toBe(200);
      await directory.remove(erin.dn);
      await age("5 minutes");
      await refresh();
      expect((await api({ token }).get("/user/profile")).status).toBe(401);
      const log = (await api(alice).get(`/audit?event=user.deactivated&target=${erin.uid}`)).body;
      expect(log.map((entry: any) => entry.details.reason)).toEqual([
        "not found",
        "no mapped group",
      ]);
    });

    test("of a frozen directory stops nobody, until the time that the admin sets is over", async () => {
      await aDirectory(ldaps({ outage_hours: 2 }));
      const token = await aToken();
      const own = await browser(stranger);
      await own.submit("/user/login", { username: erin.uid, password: SECRET });
      directory.freeze();
      try {
        await age("5 minutes");
        const refreshing = refresh();
        expect((await api({ token }).get("/user/profile")).status).toBe(200);
        const nobody = await browser(stranger);
        expect((await nobody.get("/user/login")).status).toBe(200);
        const local = await api(stranger).post("/user/login", {
          username: "bob",
          password: PASSWORD,
        });
        expect(local.status).toBe(200);
        await refreshing;
        const answered: string[] = [];
        const noting = (what: string, answer: Promise<unknown>) =>
          answer.then(() => answered.push(what));
        const waiting = noting("the login", logIn(erin.uid));
        const paths = ["/", "/network/hosts", "/user/profile", "/user/login"];
        await Promise.all([...paths.map((path) => noting("a page", own.get(path))), waiting]);
        expect(answered).toEqual([...paths.map(() => "a page"), "the login"]);
        expect((await own.get("/user/profile")).status).toBe(200);
        expect((await api({ token }).get("/user/profile")).status).toBe(200);
        const late = await logIn(erin.uid);
        expect(late.status).toBe(503);
        expect(late.body.message).toStartWith("Directory does not respond");
        expect(await (await service()).sql`select from login_failures`).toHaveLength(0);
        await age("2 hours");
        await refresh();
        expect((await api({ token }).get("/user/profile")).status).toBe(401);
      } finally {
        directory.goOn();
      }
      await age("5 minutes");
      await refresh();
      expect((await api({ token }).get("/user/profile")).status).toBe(200);
    });
  });
});
