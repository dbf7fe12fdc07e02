import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  alice,
  api,
  bob,
  carol,
  fieldsOf,
  idOf,
  type Person,
  service,
  stranger,
  tokenOf,
  visit,
} from "../support/mod.ts";

async function aToken(person: Person, fields: object = {}) {
  const { status, body } = await api(person).post("/user/tokens", fields);
  expect(status).toBe(201);
  return body;
}

function profileWith(token: string) {
  return api({ token }).get("/user/profile");
}

describe("POST /user/tokens", () => {
  test("creates a token that is valid for the API", async () => {
    const { token } = await aToken(bob, { description: "Scanner" });
    const { status, body } = await profileWith(token);
    expect(status).toBe(200);
    expect(body.username).toBe("bob");
  });

  test("returns the record, and the token only this once", async () => {
    const { status, body } = await api(bob).post("/user/tokens", { description: "Scanner" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      description: "Scanner",
      read_only: false,
      limits: [],
      networks: [],
      scopes: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
      expires_at: null,
      last_used_at: null,
      rotated_at: null,
      overlap_until: null,
      token: expect.stringMatching(/^cad_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/),
    });
    const list = await api(bob).get("/user/tokens");
    const { token, ...shown } = body;
    expect(list.body).toEqual([shown]);
    expect(list.text).not.toContain(token.split("_")[2]);
  });

  test("requires no field", async () => {
    const { status, body } = await api(carol).post("/user/tokens", {});
    expect(status).toBe(201);
    expect(body).toMatchObject({ description: null, read_only: false, expires_at: null });
  });

  test("a date is valid to its end, a time to its minute", async () => {
    expect((await aToken(bob, { expires_at: "2099-12-31" })).expires_at).toBe("2099-12-31 23:59");
    expect((await aToken(bob, { expires_at: "2099-12-31 18:30" })).expires_at).toBe(
      "2099-12-31 18:30",
    );
  });

  test.each([["2001-01-01"], ["2099-02-30"], ["2099-12-31 25:00"], ["soon"], [""], [2099], [true]])(
    "expires_at %j is refused",
    async (expires_at) => {
      const { status, body } = await api(bob).post("/user/tokens", { expires_at });
      expect(status).toBe(422);
      expect(fieldsOf(body)).toEqual(["expires_at"]);
    },
  );

  test("an Idempotency-Key is refused: a token is not shown twice", async () => {
    const headers = { "idempotency-key": "once" };
    const { status, body } = await api(bob).post("/user/tokens", {}, { headers });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(["Idempotency-Key"]);
  });

  test("the database stores neither the token nor its secret", async () => {
    const { token } = await aToken(bob);
    const { sql } = await service();
    const [row] = await sql`select tokens::text as all from tokens where kind = 'personal'`;
    expect(row.all).not.toContain(token.split("_")[2].slice(0, 32));
    const [{ changes }] = await sql`select json_agg(changes)::text as changes from changes`;
    expect(changes).not.toContain(token.split("_")[1]);
  });
});

describe("GET /user/tokens", () => {
  test("lists the caller's own, oldest first, and nobody else's", async () => {
    const first = await aToken(bob, { description: "First" });
    const second = await aToken(bob, { description: "Second" });
    await aToken(carol);
    const { status, body } = await api(bob).get("/user/tokens");
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: number }) => id)).toEqual([first.id, second.id]);
    expect((await api(alice).get("/user/tokens")).body).toEqual([]);
  });

  test("contains when a token was last used", async () => {
    const { token } = await aToken(bob);
    await profileWith(token);
    const { body } = await api(bob).get("/user/tokens");
    expect(body[0].last_used_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  });

  test("expired tokens are neither listed nor valid", async () => {
    const { token } = await aToken(bob, { expires_at: "2099-12-31" });
    const { sql } = await service();
    await sql`update tokens set expires_at = now() - interval '1 second' where kind = 'personal'`;
    expect((await profileWith(token)).status).toBe(401);
    expect((await api(bob).get("/user/tokens")).body).toEqual([]);
  });

  test("can be filtered and sorted", async () => {
    await aToken(bob, { description: "Scanner", read_only: true });
    await aToken(bob, { description: "Label printer" });
    const readers = await api(bob).get("/user/tokens?read_only=true");
    expect(readers.body).toHaveLength(1);
    const sorted = await api(bob).get("/user/tokens?sort=description");
    expect(sorted.body.map((one: { description: string }) => one.description)).toEqual([
      "Label printer",
      "Scanner",
    ]);
  });
});

describe("DELETE /user/tokens/{id}", () => {
  test("ends the token at once, for a hundred requests as for one", async () => {
    const { id, token } = await aToken(bob);
    const other = await aToken(bob);
    await profileWith(token);
    const { status } = await api(bob).delete(`/user/tokens/${id}`);
    expect(status).toBe(204);
    const answers = await concurrently(100, () => profileWith(token));
    expect(counted(answers)).toEqual({ 401: 100 });
    expect((await profileWith(other.token)).status).toBe(200);
    expect((await api(bob).get("/user/tokens")).body).toHaveLength(1);
  });

  test("a token may end itself", async () => {
    const { id, token } = await aToken(bob);
    expect((await api({ token }).delete(`/user/tokens/${id}`)).status).toBe(204);
    expect((await profileWith(token)).status).toBe(401);
  });

  test("a token of somebody else returns 404, like an unknown one", async () => {
    const { id, token } = await aToken(bob);
    for (const person of [carol, alice]) {
      const theirs = await api(person).delete(`/user/tokens/${id}`);
      const nobodys = await api(person).delete("/user/tokens/2147483647");
      expect(theirs.status, person.username).toBe(404);
      expect({ ...theirs.body, request_id: "" }, person.username).toEqual({
        ...nobodys.body,
        request_id: "",
      });
    }
    expect((await profileWith(token)).status).toBe(200);
  });

  test("a revoked one returns 404", async () => {
    const { id } = await aToken(bob);
    await api(bob).delete(`/user/tokens/${id}`);
    expect((await api(bob).delete(`/user/tokens/${id}`)).status).toBe(404);
  });
});

describe("a request without a good token is refused", () => {
  test("when it has no header", async () => {
    const { status, body, headers } = await api(stranger).get("/user/profile");
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect(body.msg).toBe(body.message);
  });

  test("when its header is malformed", async () => {
    const token = await tokenOf(bob);
    const malformed = ["Bearer", "Bearer ", token, `Basic ${token}`, `Bearer ${token} more`];
    for (const authorization of [...malformed, `Bearer ${token}, Bearer ${token}`, "Bearer é"]) {
      const { status } = await api(stranger).get("/user/profile", { headers: { authorization } });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });

  test("when the token is in the URL", async () => {
    const { token } = await aToken(bob);
    for (const name of ["token", "access_token"]) {
      const { status } = await api(stranger).get(`/user/profile?${name}=${token}`);
      expect(status, name).toBe(401);
    }
  });

  test("when it has only a cookie", async () => {
    const { token } = await aToken(bob);
    const headers = { cookie: `session=${token}; token=${token}` };
    expect((await visit("/api/v1/user/profile", { headers })).status).toBe(401);
  });

  test("when any letter of a personal token differs", async () => {
    const { token } = await aToken(bob);
    for (let place = 0; place < token.length; place += 1) {
      const other = token[place] === "x" ? "y" : "x";
      const forged = token.slice(0, place) + other + token.slice(place + 1);
      expect([place, (await profileWith(forged)).status]).toEqual([place, 401]);
    }
  });

  test("when the key of one token is combined with the secret of another, with a valid checksum", async () => {
    const [mine, theirs] = [await aToken(bob), await aToken(carol)];
    const [, key] = mine.token.split("_");
    const body = `cad_${key}_${theirs.token.split("_")[2].slice(0, 32)}`;
    expect((await profileWith(body + checksum(body))).status).toBe(401);
    expect(
      (await profileWith(mine.token.slice(0, -6) + checksum(mine.token.slice(0, -6)))).status,
    ).toBe(200);
  });

  test("when its user has been deactivated", async () => {
    const { token } = await aToken(bob);
    await profileWith(token);
    await api(alice).delete(`/user/users/${await idOf(bob)}`);
    expect((await profileWith(token)).status).toBe(401);
  });
});

/** As token scanners compute it: CRC-32 in base 62, six digits. */
function checksum(text: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let [number, sum] = [Bun.hash.crc32(text), ""];
  while (sum.length < 6) {
    sum = digits[number % 62] + sum;
    number = Math.floor(number / 62);
  }
  return sum;
}
