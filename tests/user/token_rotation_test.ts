import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { alice, api, bob, carol, fieldsOf, idOf, type Person, service } from "../support/mod.ts";

async function aToken(person: Person, fields: object = {}) {
  const { status, body } = await api(person).post("/user/tokens", fields);
  expect(status).toBe(201);
  return body;
}

function profileWith(token: string) {
  return api({ token }).get("/user/profile");
}

describe("POST /user/tokens/{id}/rotate", () => {
  test("returns another token with the same rights, once, and ends the old one", async () => {
    const given = { description: "Scanner", expires_at: "2099-12-31", read_only: false };
    const old = await aToken(bob, given);
    const { status, body } = await api(bob).post(`/user/tokens/${old.id}/rotate`, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...given, expires_at: "2099-12-31 23:59", last_used_at: null });
    expect(body.token).not.toBe(old.token);
    expect((await profileWith(old.token)).status).toBe(401);
    const { token, ...shown } = body;
    expect((await api(bob).get("/user/tokens")).body).toEqual([shown]);
    expect((await profileWith(token)).status).toBe(200);
  });

  test("of ten concurrent requests returns the next token to one", async () => {
    const { id, token } = await aToken(bob);
    const answers = await concurrently(10, () =>
      api({ token }).post(`/user/tokens/${id}/rotate`, {}),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 401, 404].includes(status))).toBe(true);
    expect((await api(bob).get("/user/tokens")).body).toHaveLength(1);
  });

  test("finds neither a token of somebody else, nor an ended one, nor a login token", async () => {
    const { id, token } = await aToken(bob);
    for (const person of [carol, alice]) {
      expect(
        (await api(person).post(`/user/tokens/${id}/rotate`, {})).status,
        person.username,
      ).toBe(404);
    }
    await api(bob).delete(`/user/tokens/${id}`);
    expect((await api(bob).post(`/user/tokens/${id}/rotate`, {})).status).toBe(404);
    expect((await profileWith(token)).status).toBe(401);
    const { sql } = await service();
    const [login] =
      await sql`select id from tokens where kind = 'login' and user_id = ${await idOf(bob)}`;
    expect((await api(bob).post(`/user/tokens/${login.id}/rotate`, {})).status).toBe(404);
  });

  test("refuses an Idempotency-Key, and keeps the token in a dry run", async () => {
    const { id, token } = await aToken(bob);
    const headers = { "idempotency-key": "once" };
    const refused = await api(bob).post(`/user/tokens/${id}/rotate`, {}, { headers });
    expect(fieldsOf(refused.body)).toEqual(["Idempotency-Key"]);
    expect((await api(bob).post(`/user/tokens/${id}/rotate?dry_run=true`, {})).status).toBe(201);
    expect((await profileWith(token)).status).toBe(200);
  });
});

describe("a read-only token", () => {
  test("reads", async () => {
    const { token } = await aToken(bob, { read_only: true });
    expect((await profileWith(token)).status).toBe(200);
    expect((await api({ token }).get("/inventory/locations")).status).toBe(200);
  });

  test("writes nothing, whatever its user may", async () => {
    const other = await aToken(alice);
    const { token } = await aToken(alice, { read_only: true });
    const { post, patch, delete: remove } = api({ token });
    const answers = [
      await post("/inventory/locations", { name: "Hall" }),
      await post("/user/tokens", {}),
      await patch("/user/profile", { display_name: "Alice" }),
      await remove(`/user/tokens/${other.id}`),
      await remove(`/user/tokens/2147483647`),
      await post(`/user/tokens/${other.id}/rotate`, {}),
      await post(`/user/tokens/2147483647/rotate`, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(403));
    expect(answers[0]?.body.message).toBe("This token is read-only");
    expect((await profileWith(other.token)).status).toBe(200);
  });

  test("may end itself", async () => {
    const { id, token } = await aToken(bob, { read_only: true });
    expect((await api({ token }).delete(`/user/tokens/${id}`)).status).toBe(204);
    expect((await profileWith(token)).status).toBe(401);
  });

  test("does not need its own id to do so", async () => {
    const { token } = await aToken(bob, { read_only: true, description: "Scanner" });
    const { status, body } = await api({ token }).post("/user/tokens/self/rotate", {});
    expect([status, body.description]).toEqual([201, "Scanner"]);
    expect((await api({ token: body.token }).delete("/user/tokens/self")).status).toBe(204);
    expect((await api(bob).get("/user/tokens")).body).toEqual([]);
    expect((await api(bob).delete("/user/tokens/self")).status).toBe(404);
  });

  test("may rotate itself, into a read-only one", async () => {
    const { id, token } = await aToken(bob, { read_only: true });
    const { status, body } = await api({ token }).post(`/user/tokens/${id}/rotate`, {});
    expect(status).toBe(201);
    expect(body.read_only).toBe(true);
    expect((await profileWith(token)).status).toBe(401);
    expect((await profileWith(body.token)).status).toBe(200);
    const written = await api({ token: body.token }).post("/user/tokens", {});
    expect(written.status).toBe(403);
  });
});
