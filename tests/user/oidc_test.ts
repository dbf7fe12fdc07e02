import { beforeEach, describe, expect, test } from "bun:test";
import { browser, logIn } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { captureLog } from "../support/log_capture.ts";
import { alice, api, dave, idOf, PASSWORD, service, stranger, visit } from "../support/mod.ts";
import {
  aProvider,
  CLIENT,
  type OidcServer,
  oidcServer,
  signIn,
  untilCallback,
} from "../support/oidc.ts";

const ERIN = { preferred_username: "erin", name: "Erin Example", email: "erin@example.org" };

let server: OidcServer;

beforeEach(async () => {
  server = await oidcServer();
  server.people = { "sub-erin": { ...ERIN, groups: ["lab-net", "lab-all"] } };
});

async function profile(own: Awaited<ReturnType<typeof browser>>) {
  const { sql } = await service();
  const secret = /session=([^;]+)/.exec(own.cookie)?.[1];
  if (!secret) return undefined;
  const hash = new Bun.CryptoHasher("sha256").update(secret).digest();
  const [found] = await sql`
    select username, display_name, email, users.groups, password_hash from sessions
    join users on users.id = user_id where secret_hash = ${hash}`;
  return found;
}

describe("the login page", () => {
  test("has no button without a provider, and one for each enabled provider", async () => {
    const nobody = await browser(stranger);
    expect(texts((await nobody.get("/user/login")).text, "a.button")).toEqual([]);
    await aProvider();
    await aProvider({ key: "office", name: "Office" });
    await aProvider({ key: "off", name: "Off", is_enabled: false });
    const { text } = await nobody.get("/user/login");
    expect(texts(text, "a.button")).toEqual(["Log in with Lab", "Log in with Office"]);
    expect((await nobody.get("/user/login/with/off")).status).toBe(404);
    expect((await nobody.get("/user/login/with/nowhere")).status).toBe(404);
  });
});

describe("a login by OpenID Connect", () => {
  test("makes an account with mapped groups, and goes on to the page that was wanted", async () => {
    await aProvider({ mappings: { "lab-net": "network", "lab-*": "inventory", other: "admin" } });
    const { status, headers, own } = await signIn({
      server,
      as: "sub-erin",
      next: "/network/hosts",
    });
    expect(status).toBe(303);
    expect(headers.get("location")).toBe("/network/hosts");
    expect(await profile(own)).toEqual({
      username: "erin",
      display_name: "Erin Example",
      email: "erin@example.org",
      groups: ["inventory", "network"],
      password_hash: null,
    });
    expect((await own.get("/network/hosts")).status).toBe(200);
    const { body } = await api(alice).get("/audit?username=erin&event=login.succeeded");
    expect(body[0].details).toEqual({ credential: "session", provider: "Lab" });
  });

  test("never gets a person into a service account of the same name", async () => {
    await aProvider({ mappings: { "lab-net": "network" } });
    const robot = { username: "erin", groups: ["admin"] };
    expect((await api(alice).post("/user/service_accounts", robot)).status).toBe(201);
    const { own } = await signIn({ server, as: "sub-erin" });
    expect(await profile(own)).toMatchObject({ username: "erin-2", groups: ["network"] });
  });

  test("asks with PKCE, state and nonce, and remembers them in a cookie that says nothing", async () => {
    await aProvider();
    const { start } = await untilCallback({ server, as: "sub-erin" });
    const asked = new URL(start.headers.get("location")!).searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("response_type")).toBe("code");
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(asked.get(name)!.length, name).toBeGreaterThanOrEqual(43);
    }
    const [cookie = ""] = start.headers.getSetCookie();
    expect(cookie).toMatch(/^sign_in=[\w.-]+; HttpOnly; Max-Age=900; Path=\/; SameSite=Lax$/);
    expect(cookie).not.toContain(asked.get("state")!);
  });

  test("reads groups by a path, from the ID token too", async () => {
    await aProvider({
      settings: { groups_claim: "realm_access.roles" },
      mappings: { boss: "auditor", clerk: "inventory" },
    });
    server.people["sub-erin"] = { ...ERIN, realm_access: { roles: ["boss"] } };
    server.forgery.id_token = (claims) => ({ ...claims, realm_access: { roles: ["clerk"] } });
    const { own } = await signIn({ server, as: "sub-erin" });
    expect((await profile(own)).groups).toEqual(["auditor", "inventory"]);
  });

  test("takes the groups anew each time", async () => {
    await aProvider({ mappings: { "lab-net": "network", boss: "admin" } });
    const first = await signIn({ server, as: "sub-erin" });
    expect((await profile(first.own)).groups).toEqual(["network"]);
    server.people["sub-erin"]!.groups = ["boss"];
    await signIn({ server, as: "sub-erin" });
    expect((await first.own.get("/admin")).status).toBe(200);
    server.people["sub-erin"]!.groups = [];
    await signIn({ server, as: "sub-erin" });
    expect((await first.own.get("/admin")).status).toBe(403);
  });

  test("takes rights in one place by the mappings, and says why", async () => {
    const { body } = await api(alice).post("/inventory/locations", { name: "Hall 3" });
    await api(alice).post("/inventory/items", {
      ...{ ics_id: "AAA001", serial_number: "S1", location: "Hall 3" },
    });
    await aProvider({ mappings: { boss: "admin" }, settings: { needs_group: true } });
    const admin = await browser(alice);
    const mapping = { outer_group: "lab-*", is_pattern: "true", inner_group: "inventory" };
    const added = await admin.submit("/admin/sign-in/mapping/lab", { ...mapping, place: "Hall 3" });
    expect(added.status).toBe(303);
    const { own } = await signIn({ server, as: "sub-erin" });
    const change = (serial_number: string) =>
      own.submit("/inventory/items/edit/AAA001", { serial_number, location: "Hall 3" });
    expect((await change("S2")).status).toBe(303);
    const { sql } = await service();
    const [{ id }] = await sql`select id from users where username = 'erin'`;
    const because = { given_by: null, provider: "Lab", mapping: "lab-*" };
    expect((await api(alice).get(`/user/users/${id}/rights`)).body.rights).toMatchObject([
      {
        ...{ right: "inventory", place: "Hall 3" },
        because: ["lab-net", "lab-all"].map((outer_group) => ({ ...because, outer_group })),
      },
    ]);
    const [right] = (await api(alice).get(`/user/users/${id}/rights`)).body.rights;
    const taken = await api(alice).delete(`/user/users/${id}/rights/${right.id}`);
    expect(taken.body.errors[0].message).toBe("This right comes from Lab: change its mappings");
    server.people["sub-erin"]!.groups = ["lab-net", "boss"];
    const { text } = await admin.get("/admin/sign-in/view/lab");
    const [remove] = elements(text, "button[name=remove][value$='-right']");
    await admin.submit("/admin/sign-in/mapping/lab", { remove: remove!.attributes.value! });
    await signIn({ server, as: "sub-erin" });
    expect((await api(alice).get(`/user/users/${id}/rights`)).body).toMatchObject({
      groups: [{ group: "admin", because: [{ outer_group: "boss", mapping: "boss" }] }],
      rights: [],
    });
    const entries = await sql`
      select event, details from audit_log where event like 'mapping.%' or details ? 'rights' order by id`;
    const on = "inventory on location Hall 3";
    expect([...entries]).toMatchObject([
      { event: "mapping.added", details: { outer_group: "lab-*", right: on } },
      { event: "user.changed", details: { rights_before: "", rights: on } },
      { event: "mapping.removed", details: { outer_group: "lab-*", right: on } },
      { event: "user.changed", details: { rights_before: on, rights: "" } },
    ]);
    expect((await api(alice).delete(`/inventory/locations/${body.id}`)).body.detail).toBe(
      "id: This location is in use by 1 item",
    );
  });

  test("of a renamed person keeps the account and its history", async () => {
    await aProvider({ mappings: { "lab-net": "admin" } });
    const before = await signIn({ server, as: "sub-erin" });
    const made = await before.own.submit("/network/domains/create", { name: "erin.example.org" });
    expect(made.status).toBe(303);
    server.people["sub-erin"] = {
      preferred_username: "emily",
      name: "Emily Example",
      email: "emily@example.org",
      groups: ["lab-net"],
    };
    const { own } = await signIn({ server, as: "sub-erin" });
    expect(await profile(own)).toMatchObject({ username: "erin", display_name: "Emily Example" });
    const { body } = await api(alice).get("/changes?user=erin");
    expect(body.map(({ user }: { user: string }) => user)).toEqual(["erin"]);
    expect((await api(alice).get("/user/users?email=emily@example.org")).body).toHaveLength(1);
  });

  test("leaves no secret in the log", async () => {
    await aProvider();
    let path = "";
    const log = await captureLog(async () => {
      const back = await untilCallback({ server, as: "sub-erin" });
      path = back.path;
      expect((await back.own.get(path)).status).toBe(303);
    });
    const query = new URLSearchParams(path.split("?")[1]);
    expect(log).toContain("/user/login/with/:key/callback");
    for (const secret of [CLIENT.secret, query.get("code")!, query.get("state")!]) {
      expect(log).not.toContain(secret);
    }
  });

  test("leads to the logout page of the provider", async () => {
    await aProvider();
    const { own } = await signIn({ server, as: "sub-erin" });
    const out = await own.submit("/user/logout", {});
    const { text } = await own.get(out.headers.get("location")!);
    expect(texts(text, ".note a")).toEqual(["Log out there, too"]);
    const { status, headers } = await own.get("/user/login/with/lab/logout");
    expect(status).toBe(303);
    const url = new URL(headers.get("location")!);
    expect(url.origin).toBe(server.issuer);
    expect(url.searchParams.get("client_id")).toBe("cadastre");
    expect(url.searchParams.get("post_logout_redirect_uri")).toEndWith("/user/login");
  });
});

describe("an account of a provider", () => {
  test("is never that of another person with the same e-mail or username", async () => {
    await aProvider();
    await aProvider({ key: "office", name: "Office" });
    await api(alice).patch(`/user/users/${await idOf(dave)}`, { email: "erin@example.org" });
    server.people["sub-dave"] = { preferred_username: "dave", email: "erin@example.org" };
    const names = [
      await signIn({ server, as: "sub-erin" }),
      await signIn({ server, as: "sub-erin", key: "office" }),
      await signIn({ server, as: "sub-dave" }),
    ].map(({ own }) => profile(own));
    expect((await Promise.all(names)).map(({ username }) => username)).toEqual([
      "erin",
      "erin-2",
      "dave-2",
    ]);
  });

  test("has no password here, and is refused like a wrong one", async () => {
    await aProvider();
    await signIn({ server, as: "sub-erin" });
    const own = await api(stranger).post("/user/login", { username: "erin", password: PASSWORD });
    const none = await api(stranger).post("/user/login", { username: "none", password: PASSWORD });
    const [one, other] = [own, none].map(({ body }) => ({ ...body, request_id: "" }));
    expect(own.status).toBe(401);
    expect(one).toEqual(other);
  });

  test("cannot be given a password", async () => {
    await aProvider();
    await signIn({ server, as: "sub-erin" });
    const [{ id }] = (await api(alice).get("/user/users?username=erin")).body;
    const { status, body } = await api(alice).patch(`/user/users/${id}`, { password: PASSWORD });
    expect(status).toBe(422);
    expect(body.message).toContain("Lab");
  });

  test("is out when its groups are gone, and back with them; an admin's word is final", async () => {
    await aProvider({ settings: { needs_group: true }, mappings: { "lab-net": "network" } });
    const { own } = await signIn({ server, as: "sub-erin" });
    const made = await own.submit("/user/profile", { action: "token", description: "kept" });
    const [token = ""] = /cad_\w+/.exec(made.text) ?? [];
    server.people["sub-erin"]!.groups = ["lab-all"];
    const refused = await signIn({ server, as: "sub-erin" });
    expect(refused.status).toBe(401);
    expect(texts(refused.text, "[role=alert]")[0]).toStartWith("None of your groups may use");
    expect((await own.get("/network/hosts")).status).toBe(303);
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    server.people["sub-erin"]!.groups = ["lab-net"];
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(303);
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    const [{ id }] = (await api(alice).get("/user/users?username=erin")).body;
    await api(alice).delete(`/user/users/${id}`);
    const final = await signIn({ server, as: "sub-erin" });
    expect(final.status).toBe(401);
    expect(texts(final.text, "[role=alert]")[0]).toStartWith("This account is deactivated");
  });

  test("is not made for somebody without a mapped group, if one is needed", async () => {
    await aProvider({ settings: { needs_group: true }, mappings: { boss: "admin" } });
    expect((await signIn({ server, as: "sub-erin" })).status).toBe(401);
    expect((await api(alice).get("/user/users?username=erin")).body).toEqual([]);
  });
});

describe("an answer that cannot be trusted", () => {
  const HOUR = 3_600;
  const cases: Array<[string, string, () => void]> = [
    [
      "a changed nonce",
      '"nonce"',
      () => (server.forgery.id_token = (all) => ({ ...all, nonce: "x".repeat(43) })),
    ],
    [
      "another audience",
      '"aud"',
      () => (server.forgery.id_token = (all) => ({ ...all, aud: "another" })),
    ],
    [
      "another issuer",
      '"iss"',
      () => (server.forgery.id_token = (all) => ({ ...all, iss: "http://x.test" })),
    ],
    ["no signature", '"alg"', () => (server.forgery.alg = "none")],
    [
      "an expired token",
      '"exp"',
      () =>
        (server.forgery.id_token = (all) => ({
          ...all,
          iat: all.iat! - 2 * HOUR,
          exp: all.iat! - HOUR,
        })),
    ],
    [
      "userinfo of another subject",
      '"sub"',
      () => (server.forgery.userinfo = (all) => ({ ...all, sub: "x" })),
    ],
  ];
  test.each(cases)("%s is refused, and is in the audit log", async (_, reason, forge) => {
    await aProvider();
    forge();
    const { status, text, own } = await signIn({ server, as: "sub-erin" });
    expect(status).toBe(401);
    expect(texts(text, "[role=alert]")[0]).toBe("Lab did not confirm this login; try it again");
    expect(texts(text, "label")).toEqual(["Username", "Password"]);
    expect(own.cookie).not.toContain("session=");
    const { body } = await api(alice).get("/audit?event=login.failed");
    expect(body[0].details).toEqual({ provider: "Lab", reason: expect.stringContaining(reason) });
    const { sql } = await service();
    expect(await sql`select from identities`).toHaveLength(0);
  });

  test("a code is good for one login", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const kept = own.cookie;
    expect((await own.get(path)).status).toBe(303);
    const again = await visit(path, { headers: { cookie: kept } });
    expect(again.status).toBe(401);
    expect(again.headers.getSetCookie().join()).not.toContain("session=");
  });

  test("a changed state, and a login that another browser began, are refused", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const changed = path.replace(/state=[^&]+/, `state=${"x".repeat(43)}`);
    expect((await own.get(changed)).status).toBe(401);
    const victim = await browser(stranger);
    const { status, text } = await victim.get(path);
    expect(status).toBe(401);
    expect(texts(text, "[role=alert]")[0]).toContain("begun in another browser");
  });

  test("a cookie of one provider is not good for another", async () => {
    await aProvider();
    await aProvider({ key: "office", name: "Office" });
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    expect((await own.get(path.replace("/lab/", "/office/"))).status).toBe(401);
  });

  test("the provider's refusal is shown without its words", async () => {
    await aProvider();
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    const state = new URLSearchParams(path.split("?")[1]).get("state")!;
    const query = new URLSearchParams({
      error: "access_denied",
      error_description: "<b>no",
      state,
    });
    const { status, text } = await own.get(`/user/login/with/lab/callback?${query}`);
    expect(status).toBe(401);
    expect(text).not.toContain("&lt;b&gt;no");
  });
});

describe("a provider that does not respond", () => {
  test("stops neither the login page nor a login by password", async () => {
    await aProvider();
    await aProvider({
      key: "office",
      name: "Office",
      settings: { client_id: "never asked before" },
    });
    const { own, path } = await untilCallback({ server, as: "sub-erin" });
    server.isFrozen = true;
    const nobody = await browser(stranger);
    const asking = [nobody.get("/user/login/with/office"), own.get(path)];
    expect((await nobody.get("/user/login")).status).toBe(200);
    expect((await (await logIn(alice)).get("/user/profile")).status).toBe(200);
    const [begun, ended] = await Promise.all(asking);
    for (const [name, answer] of [
      ["Office", begun!],
      ["Lab", ended!],
    ] as const) {
      expect(answer.status).toBe(503);
      expect(texts(answer.text, "[role=alert]")[0]).toStartWith(`${name} does not respond`);
      expect(texts(answer.text, "label")).toEqual(["Username", "Password"]);
    }
  }, 30_000);
});
