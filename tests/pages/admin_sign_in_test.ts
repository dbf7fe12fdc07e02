import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WrongSetting } from "../../src/config.ts";
import { applyFile } from "../../src/user/sign_in/file.ts";
import { type Browser, browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { alice, api, audrey, bob, PASSWORD, service, stranger } from "../support/mod.ts";
import { CLIENT, type OidcServer, oidcServer, signIn, untilCallback } from "../support/oidc.ts";

const ROOT = "/admin/sign-in";
let server: OidcServer;

beforeEach(async () => {
  server = await oidcServer();
  server.people = {
    "sub-erin": { preferred_username: "erin", name: "Erin", groups: ["lab-net", "lab-all"] },
  };
});

afterEach(async () => {
  await (await service()).sql`delete from settings where name = 'local_passwords'`;
});

function input(changes: Record<string, string> = {}): Record<string, string> {
  return {
    key: "lab",
    name: "Lab",
    issuer: server.issuer,
    client_id: CLIENT.id,
    secret: CLIENT.secret,
    needs_group: "true",
    scope: "",
    ...changes,
  };
}

async function anAdmin(): Promise<Browser> {
  const own = await browser(alice);
  expect((await own.submit(`${ROOT}/create/oidc`, input())).status).toBe(303);
  return own;
}

function map(own: Browser, outer_group: string, inner_group: string, is_pattern = "false") {
  return own.submit(`${ROOT}/mapping/lab`, { outer_group, inner_group, is_pattern });
}

async function enable(own: Browser): Promise<void> {
  await own.submit("/admin/users/action", { username: "alice", action: "break_glass" });
  const { status } = await own.submit(`${ROOT}/action/lab`, { action: "enable" });
  expect(status).toBe(303);
}

async function logInStatus(username: string): Promise<number> {
  return (await api(stranger).post("/user/login", { username, password: PASSWORD })).status;
}

describe("the pages of providers", () => {
  test("are for admins", async () => {
    await anAdmin();
    for (const person of [audrey, bob]) {
      const own = await browser(person);
      for (const path of ["", "/create/oidc", "/view/lab", "/edit/lab", "/test/lab"]) {
        expect((await own.get(ROOT + path)).status, path).toBe(403);
      }
      for (const path of [
        "/create/oidc",
        "/edit/lab",
        "/mapping/lab",
        "/action/lab",
        "/passwords",
      ]) {
        expect((await own.submit(ROOT + path, {})).status, path).toBe(403);
      }
    }
  });

  test("take a provider in, test it, enable it, and let people log in by it", async () => {
    const own = await anAdmin();
    await map(own, "lab-net", "network");
    await map(own, "*-all", "inventory", "true");
    const { path, own: tester } = await untilCallbackOfTest(own);
    const { status, text } = await tester.get(path);
    expect(status).toBe(200);
    expect(texts(text, ".note.good")).toEqual(["Would log in as erin, a new account"]);
    const cells = texts(text, "table.list td").map((cell) => cell.trim());
    expect(cells).toEqual([
      "lab-net",
      "network",
      "the mapping of lab-net",
      "lab-all",
      "inventory",
      "the pattern *-all",
    ]);
    expect(text).toContain("sub-erin");
    const { sql } = await service();
    expect(await sql`select from identities`).toHaveLength(0);
    expect(await sql`select from users where username = 'erin'`).toHaveLength(0);
    expect((await tester.get("/user/login/with/lab")).status).toBe(404);
    await enable(own);
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    const view = await own.get(`${ROOT}/view/lab`);
    expect(view.text).toContain("/user/login/with/lab/callback");
  });

  test("say in plain words why a provider cannot be reached", async () => {
    const own = await anAdmin();
    // Nobody listens at port 1.
    const issuer = "http://127.0.0.1:1";
    await own.submit(`${ROOT}/create/oidc`, input({ key: "closed", name: "Closed", issuer }));
    const { status, text } = await own.get(`${ROOT}/test/closed`);
    expect([status, texts(text, ".note[role=alert]")]).toEqual([
      422,
      [`Cannot reach ${issuer}: The server refuses connections. Check the issuer and the firewall`],
    ]);
  });

  test("show settings beside labels that leave room for them", async () => {
    const own = await anAdmin();
    const all = { key: "directory", name: "Directory", url: "ldaps://a.test", base: "dc=a" };
    const flags = { is_active_directory: "true", nested_groups: "true", needs_group: "true" };
    const more = { bind_dn: "cn=a", secret: "x", group_base: "dc=b", outage_hours: "2" };
    await own.submit(`${ROOT}/create/ldap`, { ...all, ...flags, ...more });
    for (const key of ["lab", "directory"]) {
      const labels = texts((await own.get(`${ROOT}/view/${key}`)).text, ".facts dt");
      expect(labels.length).toBeGreaterThan(5);
      expect(labels.filter((label) => label.length > 16)).toEqual([]);
    }
  });

  test("show no secret, and the database has none that can be read", async () => {
    const own = await anAdmin();
    await own.submit(`${ROOT}/edit/lab`, { ...input({ name: "Laboratory", secret: "" }), key: "" });
    const pages = [
      await own.get(ROOT),
      await own.get(`${ROOT}/view/lab`),
      await own.get(`${ROOT}/edit/lab`),
      await own.get("/admin/audit"),
      await own.submit(`${ROOT}/create/oidc`, input({ key: "!" })),
    ];
    for (const { text } of pages) {
      expect(text).toContain("Lab");
      expect(text).not.toContain(CLIENT.secret);
    }
    const { sql } = await service();
    const [row] = await sql`select name, secret from identity_providers`;
    expect(row.name).toBe("Laboratory");
    expect(row.secret).toMatch(/^1\.[\w-]{8}\.[\w-]{60,}$/);
    const dump = await sql`select coalesce(json_agg(a), '[]')::text dump from audit_log a`;
    expect(dump[0].dump).not.toContain(CLIENT.secret);
  });

  test("refuse an issuer without TLS, and one that would get the secret of another", async () => {
    const own = await anAdmin();
    const without = await own.submit(`${ROOT}/create/oidc`, input({ issuer: "http://a.test" }));
    expect(without.status).toBe(422);
    expect(texts(without.text, ".error")[0]).toStartWith("Use https");
    const tenants = "https://login.microsoftonline.com/common/v2.0";
    const all = await own.submit(`${ROOT}/create/oidc`, input({ issuer: tenants }));
    expect(texts(all.text, ".error")[0]).toStartWith("Use the issuer of one tenant");
    const fields = input({ issuer: "https://evil.test", secret: "" });
    delete fields.key;
    const other = await own.submit(`${ROOT}/edit/lab`, fields);
    expect(other.status).toBe(422);
    expect(texts(other.text, ".error")[0]).toStartWith("Enter the secret again");
  });

  test("refuse what exists already, and a provider with people cannot be deleted", async () => {
    const own = await anAdmin();
    expect((await own.submit(`${ROOT}/create/oidc`, input())).status).toBe(422);
    expect((await map(own, "lab-net", "network")).status).toBe(303);
    expect((await map(own, "lab-net", "network")).status).toBe(422);
    expect((await map(own, "lab-net", "boss")).status).toBe(422);
    // Who chooses nothing makes nobody an admin.
    const { text: form } = await own.get(`${ROOT}/view/lab`);
    expect(texts(form, "select[name=inner_group] option")[0]).toBe("Choose one");
    const unchosen = await map(own, "lab-all", "");
    expect([unchosen.status, texts(unchosen.text, ".error")[0]]).toEqual([422, expect.any(String)]);
    await enable(own);
    await signIn({ server, as: "sub-erin" });
    const { status, text } = await own.submit(`${ROOT}/action/lab`, {
      action: "delete",
      confirmed: "true",
    });
    expect(status).toBe(422);
    expect(texts(text, "[role=alert]")[0]).toContain("disable it instead");
    await own.submit(`${ROOT}/action/lab`, { action: "disable", confirmed: "true" });
    expect((await own.get("/user/login/with/lab")).status).toBe(404);
  });

  test("note every change in the audit log", async () => {
    const own = await anAdmin();
    await map(own, "lab-net", "network");
    const { sql } = await service();
    const [{ id }] = await sql`select id from group_mappings`;
    await own.submit(`${ROOT}/mapping/lab`, { remove: String(id) });
    await enable(own);
    await own.submit(`${ROOT}/action/lab`, { action: "disable", confirmed: "true" });
    await own.submit(`${ROOT}/action/lab`, { action: "delete", confirmed: "true" });
    const { body } = await api(alice).get("/audit?sort=id&target=Lab");
    expect(body.map(({ event }: { event: string }) => event)).toEqual([
      "provider.created",
      "mapping.added",
      "mapping.removed",
      "provider.enabled",
      "provider.disabled",
      "provider.deleted",
    ]);
    expect(body.every(({ username }: { username: string }) => username === "alice")).toBe(true);
  });
});

/** Goes through the test of an admin as far as the redirect back. */
async function untilCallbackOfTest(own: Browser) {
  return untilCallback({ server, as: "sub-erin", own, from: `${ROOT}/test/lab` });
}

describe("break-glass accounts", () => {
  test("are needed before a provider can be enabled", async () => {
    const own = await anAdmin();
    const { status, text } = await own.submit(`${ROOT}/action/lab`, { action: "enable" });
    expect(status).toBe(422);
    expect(texts(text, "[role=alert]")[0]).toContain("break-glass account");
  });

  test("can log in when no other password may, and each use is loud", async () => {
    const own = await anAdmin();
    const refused = await own.submit(`${ROOT}/passwords`, { only_break_glass: "true" });
    expect(refused.status).toBe(422);
    await enable(own);
    expect((await own.submit(`${ROOT}/passwords`, { only_break_glass: "true" })).status).toBe(303);
    expect(await logInStatus("bob")).toBe(401);
    expect(await logInStatus("alice")).toBe(200);
    const { body } = await api(alice).get("/audit?event=login.break_glass");
    expect(body).toMatchObject([{ username: "alice", address: "127.0.0.1" }]);
    // Without such an account the setting would keep everybody out.
    await own.submit("/admin/users/action", { username: "alice", action: "no_break_glass" });
    expect(await logInStatus("bob")).toBe(200);
  });

  test("are admins with a password", async () => {
    const own = await browser(alice);
    const { status } = await own.submit("/admin/users/action", {
      username: "bob",
      action: "break_glass",
    });
    expect(status).toBe(422);
  });
});

describe("a changed signing key", () => {
  test("leaves the login page and passwords, and is a finding with what to do", async () => {
    const own = await anAdmin();
    await enable(own);
    const { sql } = await service();
    await sql`update identity_providers set secret = regexp_replace(secret, '^1[.].{8}', '1.elsewher')`;
    const nobody = await browser(stranger);
    const { status, text } = await nobody.get("/user/login/with/lab");
    expect(status).toBe(503);
    expect(texts(text, "[role=alert]")[0]).toStartWith("Lab cannot be used at the moment");
    expect((await nobody.get("/user/login")).status).toBe(200);
    expect(await logInStatus("alice")).toBe(200);
    const system = await own.get("/admin/system");
    expect(system.text).toContain("The secret of Lab was encrypted with another SECRET_KEY");
    await own.submit(`${ROOT}/edit/lab`, input());
    expect((await nobody.get("/user/login/with/lab")).status).toBe(303);
  });
});

describe("SIGN_IN_FILE", () => {
  const path = join(mkdtempSync(join(tmpdir(), "cadastre-sign-in-")), "providers.json");
  const declare = async (list: unknown) => {
    await Bun.write(path, typeof list === "string" ? list : JSON.stringify(list));
    await applyFile(path);
  };
  const lab = (changes: object = {}) => ({
    kind: "oidc",
    ...input({ scope: "openid profile" }),
    needs_group: true,
    groups: [{ outer_group: "lab-*", is_pattern: true, inner_group: "network" }],
    ...changes,
  });
  afterAll(() => rmSync(dirname(path), { recursive: true }));

  test("declares providers that pages show and do not change", async () => {
    await declare([lab()]);
    await declare([lab()]);
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    const own = await browser(alice);
    const { text } = await own.get(`${ROOT}/view/lab`);
    expect(text).toContain("from the environment");
    expect(text).not.toContain(CLIENT.secret);
    expect((await own.submit(`${ROOT}/edit/lab`, input({ name: "Mine" }))).status).toBe(422);
    expect((await map(own, "lab-net", "admin")).status).toBe(422);
    await declare([lab({ name: "Laboratory" })]);
    const { body } = await api(alice).get("/audit?sort=id&q=event:provider.*");
    expect(body.map(({ event, target }: any) => [event, target])).toEqual([
      ["provider.created", "Lab"],
      ["provider.changed", "Laboratory"],
    ]);
    const details = { issuer: server.issuer, enabled: true, mappings: "lab-* to network" };
    expect(body[0].details).toMatchObject({ by: "SIGN_IN_FILE", ...details });
    expect(JSON.stringify(body)).not.toContain(CLIENT.secret);
    await applyFile(undefined);
    expect((await own.get("/user/login/with/lab")).status).toBe(404);
    expect((await own.submit(`${ROOT}/edit/lab`, input({ name: "Mine" }))).status).toBe(303);
  });

  test("maps groups to rights in places, and leaves out those that do not exist", async () => {
    await api(alice).post("/inventory/locations", { name: "Hall 3" });
    const to = (place: string) => ({ outer_group: "lab-net", inner_group: "inventory", place });
    await declare([lab({ groups: [to("Hall 3"), to("Hall 4")] })]);
    const { text } = await (await browser(alice)).get(`${ROOT}/view/lab`);
    expect(texts(text, "td[data-label='Group here']")).toEqual(["inventory on location Hall 3"]);
  });

  const wrong: Array<[string, () => unknown]> = [
    ["this is not JSON", () => "{"],
    ["Use a list", () => ({})],
    ["provider 1: ", () => [{ kind: "oidc" }]],
    ["each provider needs a key", () => [lab(), lab()]],
    ["issuer: Use https", () => [lab({ issuer: "http://a.test" })]],
    [
      "place: Name the sensitive network",
      () => [lab({ groups: [{ outer_group: "a", inner_group: "sensitive" }] })],
    ],
    ["password: Unknown field", () => [lab({ password: "x" })]],
  ];
  test.each(wrong)("stops the start with one line: %s", async (message, list) => {
    const refusal = await declare(list()).catch((error) => error);
    expect(refusal).toBeInstanceOf(WrongSetting);
    expect(refusal.message).toStartWith("SIGN_IN_FILE ");
    expect(refusal.message).toContain(message);
    expect(refusal.message).not.toContain("\n");
  });
});
