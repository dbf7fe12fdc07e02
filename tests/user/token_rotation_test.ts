import { describe, expect, test } from "bun:test";
import { until } from "../running/processes.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  alice,
  api,
  bob,
  carol,
  fieldsOf,
  idOf,
  inOrder,
  type Person,
  service,
} from "../support/mod.ts";

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
    const atOnce = { overlap_minutes: 0 };
    const { status, body } = await api(bob).post(`/user/tokens/${old.id}/rotate`, atOnce);
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

describe("the overlap of a rotation", () => {
  function rotated(person: Person | { token: string }, id: number | string, fields: object = {}) {
    return api(person).post(`/user/tokens/${id}/rotate`, fields);
  }

  async function statuses(...tokens: string[]) {
    return inOrder(tokens.map((token) => async () => (await profileWith(token)).status));
  }

  test("keeps the former secret valid for a day, or as long as the body says", async () => {
    const { id, token } = await aToken(bob, { limits: ["user:read"], expires_at: "2099-12-31" });
    const next = await rotated(bob, id);
    const end = Date.parse(`${next.body.overlap_until.replace(" ", "T")}Z`);
    const begin = Date.parse(`${next.body.created_at.replace(" ", "T")}Z`);
    expect(end - begin).toBe(24 * 3_600_000);
    expect(next.body).toMatchObject({ limits: ["user:read"], expires_at: "2099-12-31 23:59" });
    expect(await statuses(token, next.body.token)).toEqual([200, 200]);
    const last = await rotated(bob, id, { overlap_minutes: 0 });
    expect(last.body.overlap_until).toBe(null);
    expect(await statuses(token, next.body.token, last.body.token)).toEqual([401, 401, 200]);
  });

  test("ends by itself, and with the token", async () => {
    const { sql } = await service();
    const { id, token } = await aToken(bob);
    const next = await rotated(bob, id, { overlap_minutes: 1 });
    await sql`update tokens set previous_until = now() + interval '1500 ms' where id = ${id}`;
    await until("the overlap to end", async () => (await profileWith(token)).status === 401);
    expect(await statuses(next.body.token)).toEqual([200]);
    const last = await rotated(bob, id, { overlap_minutes: 60 });
    await api(bob).delete(`/user/tokens/${id}`);
    expect(await statuses(next.body.token, last.body.token)).toEqual([401, 401]);
    const [{ history }] = await sql`
      select json_agg(changes)::text as history from changes where table_name = 'tokens'`;
    expect(history).not.toContain("hash");
  });

  test("has at most two valid secrets: another rotation ends the oldest", async () => {
    const { id, token } = await aToken(bob);
    const second = (await rotated(bob, id)).body.token;
    const third = (await rotated(bob, id)).body.token;
    expect(await statuses(token, second, third)).toEqual([401, 200, 200]);
  });

  test("does not let the former secret rotate the token", async () => {
    const { token } = await aToken(bob);
    const next = (await rotated({ token }, "self")).body.token;
    const { status, body } = await rotated({ token }, "self");
    expect([status, body.message]).toEqual([
      401,
      "This token has a newer secret, and only that one can rotate it",
    ]);
    expect(await statuses(token, next)).toEqual([200, 200]);
    expect((await rotated({ token: next }, "self")).status).toBe(201);
  });

  test("of 32 concurrent rotations are in one order: the last two secrets are valid", async () => {
    const { id, token } = await aToken(bob);
    const answers = await concurrently(32, () => rotated(bob, id));
    expect(counted(answers)).toEqual({ 201: 32 });
    const secrets = [token, ...answers.map(({ body }) => body.token)];
    expect(new Set(secrets).size).toBe(33);
    const valid = (await statuses(...secrets)).filter((status) => status === 200);
    expect(valid).toHaveLength(2);
    const { sql } = await service();
    const [row] = await sql`select rotation from tokens where id = ${id}`;
    expect(row.rotation).toBe(32);
  });

  test.each([[-1], [10_081], ["60"], [1.5], [null]])(
    "of %j minutes is refused",
    async (overlap_minutes) => {
      const { id, token } = await aToken(bob);
      const { status, body } = await rotated(bob, id, { overlap_minutes });
      expect([status, fieldsOf(body)]).toEqual([422, ["overlap_minutes"]]);
      expect(await statuses(token)).toEqual([200]);
    },
  );
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
    const atOnce = { overlap_minutes: 0 };
    const { status, body } = await api({ token }).post(`/user/tokens/${id}/rotate`, atOnce);
    expect(status).toBe(201);
    expect(body.read_only).toBe(true);
    expect((await profileWith(token)).status).toBe(401);
    expect((await profileWith(body.token)).status).toBe(200);
    const written = await api({ token: body.token }).post("/user/tokens", {});
    expect(written.status).toBe(403);
  });
});
