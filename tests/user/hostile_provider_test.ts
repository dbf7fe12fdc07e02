// Providers of OpenID Connect, people and browsers that attack.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPair } from "jose";
import { seal } from "../../src/auth/sealed.ts";
import { browser, logIn } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { alice, api, bob, PASSWORD, service, stranger, visit } from "../support/mod.ts";
import { aProvider, type OidcServer, oidcServer, signIn, untilCallback } from "../support/oidc.ts";

setDefaultTimeout(30_000);

const ERIN = { preferred_username: "erin", name: "Erin Example", email: "erin@example.org" };
let server: OidcServer;

beforeEach(async () => {
  server = await oidcServer();
  server.people = { "sub-erin": { ...ERIN, groups: ["lab-net"] } };
});

async function accounts() {
  const { sql } = await service();
  return sql`
    select username, display_name, email, users.groups, identities.groups as outer, subject
    from identities join users on users.id = user_id order by username`;
}

async function failures(): Promise<string[]> {
  const { body } = await api(alice).get("/audit?event=login.failed&sort=id");
  return body.map(({ details }: any) => details.reason);
}

function callback(query: Record<string, string>): string {
  return `/user/login/with/lab/callback?${new URLSearchParams(query)}`;
}

describe("the cookie of a login", () => {
  test("ends with the answer to it, also a refusal, and not with that to another login", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const state = new URLSearchParams(path.split("?")[1]).get("state") ?? "";
    await own.get(callback({ code: "x", state: "another" }));
    expect(own.cookie).toContain("sign_in=1.");
    const refused = await own.get(callback({ error: "server_error", state }));
    expect([refused.status, own.cookie.includes("sign_in=1.")]).toEqual([401, false]);
    const late = await own.get(path);
    expect([late.status, own.cookie.includes("session=")]).toEqual([401, false]);
    const said = await failures();
    expect(said).toHaveLength(3);
    expect(said[2]).toBe("no cookie of this login");
  });

  test("holds nothing that the browser can change", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const [, version = "", key = "", body = ""] =
      /sign_in=([^.]+)\.([^.]+)\.([^;]+)/.exec(own.cookie) ?? [];
    const changed = `${body.slice(0, -2)}${body.endsWith("AA") ? "BB" : "AA"}`;
    for (const cookie of [`${version}.${key}.${changed}`, "1..", "x".repeat(4_000), ""]) {
      const { status } = await visit(path, { headers: { cookie: `sign_in=${cookie}` } });
      expect([cookie, status]).toEqual([cookie, 401]);
    }
  });
});

describe("the test of an admin", () => {
  test("shows nothing to anybody else who has its cookie, and logs nobody in", async () => {
    await aProvider();
    const own = await logIn(alice);
    const from = "/admin/sign-in/test/lab";
    const { path } = await untilCallback({ server, as: "sub-erin", own, from });
    const [cookie = ""] = /sign_in=[^;]+/.exec(own.cookie) ?? [];
    const others = [cookie, `${(await logIn(bob)).cookie}; ${cookie}`];
    for (const [at, status] of [401, 403].entries()) {
      const answer = await visit(path, { headers: { cookie: others[at] ?? "" } });
      expect(answer.status).toBe(status);
      expect(answer.text).not.toContain("sub-erin");
      expect(answer.headers.getSetCookie().join()).not.toContain("session=");
    }
    expect(await accounts()).toHaveLength(0);
    expect((await own.get(path)).text).toContain("sub-erin");
  });
});

describe("a redirect back", () => {
  test("may say anything in its error", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const state = new URLSearchParams(path.split("?")[1]).get("state") ?? "";
    const said = { error: "no\0", error_description: "a\0b\u{1f600}".repeat(100), state };
    expect((await own.get(callback(said))).status).toBe(401);
    expect(await failures()).toHaveLength(1);
  });

  test.each([
    "//evil.test",
    "https://evil.test/",
    "/\\evil.test",
    "/%09/evil.test/../..//evil.test",
    "javascript:alert(1)",
    "/a\r\nset-cookie: x=y",
  ])("goes on to a page here, never to %p", async (next) => {
    await aProvider();
    const { headers } = await signIn({ server, as: "sub-erin", next });
    const { origin } = await service();
    expect(new URL(headers.get("location") ?? "", origin).origin).toBe(origin);
    expect(headers.getSetCookie().join()).not.toContain("x=y");
  });
});

describe("claims", () => {
  test.each([
    ["a control character", "a\0b"],
    ["half a character", "a\ud800"],
    ["too many characters", "x".repeat(256)],
  ])("with a subject that has %s make no account", async (_, sub) => {
    await aProvider();
    server.forgery.id_token = (claims) => ({ ...claims, sub });
    server.forgery.userinfo = (claims) => ({ ...claims, sub });
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    expect(await accounts()).toHaveLength(0);
    expect(await failures()).toEqual([expect.stringContaining("subject cannot be used")]);
  });

  test("of any kind make an account with what is valid here", async () => {
    await aProvider({ mappings: { "lab-net": "network", "*": "inventory" } });
    server.people["sub-erin"] = {
      preferred_username: `\u202eＥrin\0.${"é".repeat(500)}`,
      name: `Erin\u202e\0 ${"\u{1f600}".repeat(500)}`,
      email: "a\0@b",
      groups: [
        "lab-net",
        "a\0b",
        "\ud800",
        "x".repeat(5_000),
        "",
        7,
        null,
        ["lab-admin"],
        { a: 1 },
      ],
    };
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    const [made] = await accounts();
    expect(made.username).toMatch(/^erin-.e{50,}$/);
    expect(made.display_name).toStartWith("Erin  ");
    expect(made.display_name.isWellFormed()).toBe(true);
    expect(made).toMatchObject({ outer: ["lab-net"], groups: ["inventory", "network"] });
    expect(made.email).toBeOneOf([null, "a @b"]);
  });

  test("may name thousands of groups", async () => {
    await aProvider({ mappings: { "group-1": "network" } });
    const groups = Array.from({ length: 20_000 }, (_, at) => `group-${at}`);
    server.people["sub-erin"] = { ...ERIN, groups };
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    const [made] = await accounts();
    expect([made.outer.length, made.groups]).toEqual([2_000, ["network"]]);
  });

  test.each([
    ["of 2 MiB", { text: "x".repeat(2 * 1024 * 1024) }, "too long"],
    ["nested very deep", JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`), "too deep"],
  ])("%s are refused, also in a test", async (_, more, reason) => {
    await aProvider();
    server.forgery.userinfo = (claims) => ({ ...claims, more });
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    expect(await failures()).toEqual([expect.stringContaining(reason)]);
    const own = await logIn(alice);
    const from = "/admin/sign-in/test/lab";
    const { status, text } = await signIn({ server, as: "sub-erin", own, from });
    expect([status, texts(text, "[role=alert]")[0]]).toEqual([
      422,
      expect.stringContaining(reason),
    ]);
  });
});

describe("a provider", () => {
  test("cannot sign by a key that it does not publish", async () => {
    await aProvider();
    server.forgery.key = (await generateKeyPair("ES256")).privateKey;
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    expect(await accounts()).toHaveLength(0);
  });

  // The metadata are kept for some minutes, for each issuer and secret.
  const localhost = () => server.issuer.replace("127.0.0.1", "localhost");

  test("cannot leave out the signature, even if its metadata says so", async () => {
    const issuer = localhost();
    server.forgery.metadata = (all) => ({
      ...all,
      issuer,
      id_token_signing_alg_values_supported: ["none", "ES256"],
      authorization_response_iss_parameter_supported: false,
    });
    await aProvider({ settings: { issuer } });
    server.forgery.id_token = (claims) => ({ ...claims, iss: issuer });
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const anonymous = path.replace(/&iss=[^&]+/, "");
    server.forgery.alg = "none";
    expect((await own.get(anonymous)).status).toBe(401);
    expect(await accounts()).toHaveLength(0);
    // The same with a signature gets in, so it was the signature.
    delete server.forgery.alg;
    const again = await untilCallback({ server, as: "sub-erin" });
    expect((await again.own.get(again.path.replace(/&iss=[^&]+/, ""))).status).toBe(303);
  });

  test("cannot have the code sent to another machine without TLS", async () => {
    const issuer = localhost();
    const token_endpoint = "http://192.0.2.1/token";
    server.forgery.metadata = (all) => ({
      ...all,
      issuer,
      token_endpoint,
      authorization_response_iss_parameter_supported: false,
    });
    await aProvider({ settings: { issuer } });
    const { sql } = await service();
    await sql`update identity_providers set secret = ${seal("another", "provider")}`;
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    expect((await own.get(path.replace(/&iss=[^&]+/, ""))).status).toBe(401);
    expect(await failures()).toEqual([expect.stringContaining("without TLS")]);
  });

  test("with another's subject makes an account of its own", async () => {
    await aProvider({ mappings: { "lab-net": "admin" } });
    await aProvider({ key: "office", name: "Office" });
    await signIn({ server, as: "sub-erin" });
    await signIn({ server, as: "sub-erin", key: "office" });
    expect((await accounts()).map((one: any) => [one.username, one.subject, one.groups])).toEqual([
      ["erin", "sub-erin", ["admin"]],
      ["erin-2", "sub-erin", []],
    ]);
  });

  test("that is disabled lets nobody in, also in the middle of a login, and ends no session", async () => {
    await aProvider();
    const { own } = await signIn({ server, as: "sub-erin" });
    const begun = await untilCallback({ server, as: "sub-erin" });
    await (await service()).sql`update identity_providers set is_enabled = false`;
    expect((await begun.own.get(begun.path)).status).toBe(404);
    expect((await own.get("/user/profile")).status).toBe(200);
  });

  test("whose row is damaged keeps nobody else out", async () => {
    await aProvider();
    await aProvider({ key: "office", name: "Office" });
    const { sql } = await service();
    await sql`
      insert into identity_providers (key, name, kind, settings, is_enabled)
      values ('directory', 'Directory', 'ldap', '{}', true)`;
    for (const settings of ["null", "[]", "{}", `{"issuer": 7, "url": [], "outage_hours": "x"}`]) {
      await sql`
        update identity_providers set settings = ${settings}::text::jsonb, secret = 'x' where key <> 'lab'`;
      const local = { username: "alice", password: PASSWORD };
      expect((await api(stranger).post("/user/login", local)).status).toBe(200);
      const nobody = await browser(stranger);
      expect((await nobody.get("/user/login")).status).toBe(200);
      expect((await nobody.get("/user/login/with/office")).status).toBe(503);
      const unknown = { username: "nobody", password: PASSWORD };
      expect((await api(stranger).post("/user/login", unknown)).status).toBe(503);
      expect((await (await logIn(alice)).get("/admin/sign-in")).status).toBe(200);
      expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    }
  });
});
