// Accounts of programs: admins manage them and their tokens, and nobody logs in as one.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import {
  alice,
  api,
  audrey,
  bob,
  fieldsOf,
  idOf,
  inOrder,
  PASSWORD,
  service,
  stranger,
} from "../support/mod.ts";

const PATH = "/user/service_accounts";

async function aServiceAccount(fields: object = {}) {
  const { status, body } = await api(alice).post(PATH, { username: "robot", ...fields });
  expect(status).toBe(201);
  return body;
}

async function aToken(account: { id: number }, fields: object = {}) {
  const { status, body } = await api(alice).post(`${PATH}/${account.id}/tokens`, fields);
  expect(status).toBe(201);
  return body;
}

function profileWith(token: string) {
  return api({ token }).get("/user/profile");
}

describe("a service account", () => {
  test("has groups, is the author of what its tokens change, and is a user for readers", async () => {
    const account = await aServiceAccount({ display_name: "Importer", groups: ["inventory"] });
    expect(account).toMatchObject({ username: "robot", state: "active", tokens: 0, user: "alice" });
    const { token } = await aToken(account, { limits: ["inventory:write"] });
    expect((await profileWith(token)).body).toMatchObject({
      username: "robot",
      groups: ["inventory"],
    });
    const { body } = await api({ token }).post("/inventory/items", { serial_number: "S1" });
    expect(body.user).toBe("robot");
    const { body: changes } = await api(bob).get("/changes?user=robot");
    expect(changes).toHaveLength(1);
    const { body: users } = await api(bob).get("/user/users?username=robot");
    expect(users).toHaveLength(1);
    expect((await api({ token }).post("/network/hosts", { name: "h" })).status).toBe(403);
  });

  test("shows its tokens to admins: limits, last use and from where, and no secret", async () => {
    const account = await aServiceAccount();
    const limited = { description: "Nightly", limits: ["network:read"], networks: ["127.0.0.1"] };
    const { token, id } = await aToken(account, limited);
    await api({ token }).get("/network/hosts");
    const { body, text } = await api(alice).get(`${PATH}/${account.id}/tokens`);
    expect(body).toEqual([
      expect.objectContaining({
        id,
        owner: "robot",
        description: "Nightly",
        limits: ["network:read"],
        networks: ["127.0.0.1/32"],
        last_used_from: "127.0.0.1",
        last_used_at: expect.any(String),
      }),
    ]);
    expect(text).not.toContain(token.split("_")[2]);
    const { body: all } = await api(alice).get(`${PATH}/${await idOf(bob)}/tokens`);
    expect(all.status).toBe(404);
  });

  test("has tokens that admins rotate and revoke, and nobody else", async () => {
    const account = await aServiceAccount({ groups: ["admin"] });
    const { token, id } = await aToken(account);
    const path = `${PATH}/${account.id}/tokens/${id}`;
    const next = await api(alice).post(`${path}/rotate`, { overlap_minutes: 0 });
    expect(next.status).toBe(201);
    expect((await profileWith(token)).status).toBe(401);
    expect((await profileWith(next.body.token)).status).toBe(200);
    const bobsId = await idOf(bob);
    const others = await inOrder([
      () => api(bob).get(PATH),
      () => api(audrey).get(PATH),
      () => api(bob).post(`${path}/rotate`, {}),
      () => api(bob).delete(path),
      () => api(alice).post(`${PATH}/${bobsId}/tokens`, {}),
    ]);
    expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403, 404]);
    // A token of a person is none of a service account.
    const own = await api(bob).post("/user/tokens", {});
    const bobs = `${PATH}/${account.id}/tokens/${own.body.id}`;
    const wrong = await inOrder([
      () => api(alice).post(`${bobs}/rotate`, {}),
      () => api(alice).delete(bobs),
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([404, 404]);
    expect((await api(alice).delete(path)).status).toBe(204);
    expect((await profileWith(next.body.token)).status).toBe(401);
  });

  test("keeps its tokens when the admin who made them leaves", async () => {
    const { body: erin } = await api(alice).post("/user/users", {
      username: "erin",
      password: PASSWORD,
      groups: ["admin"],
    });
    const login = await api(stranger).post("/user/login", { username: "erin", password: PASSWORD });
    const her = api({ token: login.body.access_token });
    const { body: account } = await her.post(PATH, { username: "robot" });
    const { body: made } = await her.post(`${PATH}/${account.id}/tokens`, {});
    const { body: own } = await her.post("/user/tokens", {});
    await api(alice).delete(`/user/users/${erin.id}`);
    expect((await profileWith(own.token)).status).toBe(401);
    expect((await profileWith(made.token)).status).toBe(200);
  });

  test("rotates and revokes its own token, and makes no other", async () => {
    const account = await aServiceAccount({ groups: ["admin"] });
    const { token } = await aToken(account);
    const made = await api({ token }).post("/user/tokens", {});
    expect([made.status, made.body.message]).toEqual([
      403,
      "Admins create the tokens of this service account",
    ]);
    const changed = await api({ token }).patch("/user/profile", { display_name: "Me" });
    expect(changed.status).toBe(403);
    const next = await api({ token }).post("/user/tokens/self/rotate", {});
    expect(next.status).toBe(201);
    expect((await api({ token: next.body.token }).delete("/user/tokens/self")).status).toBe(204);
    expect((await profileWith(token)).status).toBe(401);
  });

  test("ends with its tokens, and comes back without them", async () => {
    const account = await aServiceAccount();
    const { token } = await aToken(account);
    await profileWith(token);
    expect((await api(alice).delete(`${PATH}/${account.id}`)).status).toBe(204);
    expect((await profileWith(token)).status).toBe(401);
    expect((await api(alice).post(`${PATH}/${account.id}/tokens`, {})).status).toBe(404);
    const own = await browser(alice);
    await own.submit("/admin/service-accounts/action", { username: "robot" });
    expect((await api(alice).get(`${PATH}/${account.id}`)).body.state).toBe("active");
    expect((await profileWith(token)).status).toBe(401);
  });

  test("is changed by a dry run only in its answer, and refuses a stale version", async () => {
    const { id } = await aServiceAccount();
    const dry = await api(alice).patch(`${PATH}/${id}?dry_run=true`, { groups: ["network"] });
    expect(dry.body.groups).toEqual(["network"]);
    expect((await api(alice).get(`${PATH}/${id}`)).body.groups).toEqual([]);
    const stale = await api(alice).patch(
      `${PATH}/${id}`,
      { groups: ["network"] },
      { headers: { "if-match": '"7"' } },
    );
    expect(stale.status).toBe(412);
    const taken = await api(alice).post(PATH, { username: "ALICE" });
    expect([taken.status, fieldsOf(taken.body)]).toEqual([422, ["username"]]);
  });

  test("is in the audit log, with each change and token", async () => {
    const { sql } = await service();
    const { id } = await aServiceAccount({ groups: ["network"] });
    const token = await aToken({ id }, { description: "Nightly", limits: ["network:read"] });
    await api(alice).post(`${PATH}/${id}/tokens/${token.id}/rotate`, {});
    await api(alice).delete(`${PATH}/${id}/tokens/${token.id}`);
    await api(alice).patch(`${PATH}/${id}`, { groups: [] });
    await api(alice).delete(`${PATH}/${id}`);
    const entries = await sql`
      select event, details from audit_log where target = 'robot' and username = 'alice' order by id`;
    expect(entries.map(({ event }: { event: string }) => event)).toEqual([
      "user.created",
      "token.created",
      "token.rotated",
      "token.revoked",
      "user.changed",
      "user.deactivated",
    ]);
    expect(entries[0].details).toEqual({ service_account: true, groups: "network" });
    expect(entries[1].details).toMatchObject({ token: token.id, limits: "network:read" });
  });
});

describe("nobody logs in as a service account", () => {
  test("by a password, which is refused everywhere", async () => {
    const { id } = await aServiceAccount({ groups: ["admin"] });
    const set = await inOrder([
      () => api(alice).patch(`/user/users/${id}`, { password: PASSWORD }),
      () => api(alice).patch(`${PATH}/${id}`, { password: PASSWORD }),
      () => api(alice).post(PATH, { username: "other", password: PASSWORD }),
    ]);
    expect(set.map(({ status, body }) => [status, fieldsOf(body)])).toEqual([
      [422, ["password"]],
      [422, ["password"]],
      [422, ["password"]],
    ]);
    expect(set[0]?.body.errors[0].message).toBe("A service account has no password");
    for (const password of [PASSWORD, " ", "x"]) {
      const { status } = await api(stranger).post("/user/login", { username: "robot", password });
      expect(status).toBe(401);
    }
    const own = await browser(alice);
    const form = { username: "robot", password: PASSWORD };
    expect((await own.submit("/admin/users/password/robot", form)).status).toBe(404);
    const { sql } = await service();
    await expect(sql`update users set password_hash = 'x' where id = ${id}`).rejects.toThrow();
  });

  test("by a session or a login token, even if there were one", async () => {
    const { id } = await aServiceAccount();
    const { sql } = await service();
    await expect(
      sql`insert into sessions (user_id, secret_hash, expires_at) values (${id}, 'x', now())`,
    ).rejects.toThrow("cannot log in");
    const { access_token } = (
      await api(stranger).post("/user/login", { username: "bob", password: PASSWORD })
    ).body;
    expect((await profileWith(access_token)).status).toBe(200);
    await sql`update users set password_hash = null, is_service = true where id = ${await idOf(bob)}`;
    await Bun.sleep(1_000);
    expect((await profileWith(access_token)).status).toBe(401);
  });

  test("as the break-glass account, or the last admin", async () => {
    await aServiceAccount({ groups: ["admin"] });
    const { sql } = await service();
    const own = await browser(alice);
    const form = { username: "robot", action: "break_glass" };
    expect((await own.submit("/admin/users/action", form)).status).toBe(404);
    await expect(
      sql`update users set is_break_glass = true where username = 'robot'`,
    ).rejects.toThrow();
    const { status, body } = await api(alice).delete(`/user/users/${await idOf(alice)}`);
    expect([status, body.errors?.[0]?.message]).toEqual([422, "At least one admin must remain"]);
  });

  test("as a person of a provider", async () => {
    const { id } = await aServiceAccount();
    const { sql } = await service();
    const [provider] = await sql`
      insert into identity_providers (key, name, kind) values ('lab', 'Lab', 'oidc') returning id`;
    await expect(
      sql`insert into identities (provider_id, user_id, authority, subject) values (${provider.id}, ${id}, 'a', 's')`,
    ).rejects.toThrow("cannot log in");
  });
});
