import { describe, expect, test } from "bun:test";
import { readPublicId } from "../../src/input/change_ids.ts";
import { changes } from "../support/history.ts";
import {
  aLocation,
  alice,
  api,
  aUser,
  bob,
  carol,
  idOf,
  PASSWORD,
  service,
  stranger,
} from "../support/mod.ts";

const PATH = "/inventory/locations";

describe("history", () => {
  test("a create is one entry: user, action and record", async () => {
    const { body } = await api(bob).post(PATH, { name: "Hall", description: "The first" });
    expect(await changes()).toEqual([
      {
        change_set: expect.any(String),
        user_id: await idOf(bob),
        table_name: "locations",
        row_id: body.id,
        action: "insert",
        before: null,
        after: expect.objectContaining({
          id: body.id,
          name: "Hall",
          description: "The first",
          version: 1,
          created_by: await idOf(bob),
          updated_by: await idOf(bob),
        }),
      },
    ]);
  });

  test("a change is one entry with the record before and after", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    await api(bob).patch(`${PATH}/${id}`, { name: "Hall 2" });
    const [, ...rest] = await changes();
    expect(rest).toHaveLength(1);
    expect(rest[0]).toMatchObject({
      user_id: await idOf(bob),
      row_id: id,
      action: "update",
      before: { name: "Hall 1", version: 1, updated_by: await idOf(alice) },
      after: {
        name: "Hall 2",
        version: 2,
        created_by: await idOf(alice),
        updated_by: await idOf(bob),
      },
    });
  });

  test("a deletion is one entry with the record before", async () => {
    const { id } = await aLocation({ name: "Hall" });
    await api(alice).delete(`${PATH}/${id}`);
    const [, ...rest] = await changes();
    expect(rest).toHaveLength(1);
    expect(rest[0]).toMatchObject({
      user_id: await idOf(alice),
      row_id: id,
      action: "delete",
      before: { name: "Hall" },
      after: null,
    });
  });

  test("a change to the same value is still a change", async () => {
    const { id } = await aLocation({ name: "Hall" });
    await api(bob).patch(`${PATH}/${id}`, { name: "Hall" });
    expect(await changes()).toHaveLength(2);
  });

  test("entries carry the change set of their request, and the change set its author and request id", async () => {
    const headers = { "x-request-id": "request-of-bob-1" };
    await api(bob).post(PATH, { name: "Hall" }, { headers });
    const [entry] = await changes();
    const { sql } = await service();
    const sets = await sql`select id::int, user_id, request_id from change_sets`;
    expect([...sets]).toEqual([
      {
        id: readPublicId(entry!.change_set),
        user_id: await idOf(bob),
        request_id: "request-of-bob-1",
      },
    ]);
  });

  test("what is refused, not found, forbidden or a dry run adds no entry", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    await aLocation({ name: "Hall 2" });
    const before = await changes();
    await api(bob).post(PATH, { name: "hall 1" });
    await api(bob).post(PATH, { name: "" });
    await api(bob).patch(`${PATH}/${id}`, { name: "HALL 2" });
    await api(bob).patch(`${PATH}/2147483647`, { name: "Hall 3" });
    await api(bob).patch(`${PATH}/${id}`, { name: "Hall 3" }, { headers: { "if-match": '"v9"' } });
    await api(carol).post(PATH, { name: "Hall 3" });
    await api(bob).delete(`${PATH}/${id}`);
    await api(bob).post(`${PATH}?dry_run=true`, { name: "Hall 3" });
    await api(bob).get(PATH);
    expect(await changes()).toEqual(before);
    const { sql } = await service();
    expect(await sql`select 1 from change_sets`).toHaveLength(before.length);
  });

  test("a create that is repeated has one entry", async () => {
    const headers = { "idempotency-key": "once" };
    await api(bob).post(PATH, { name: "Hall" }, { headers });
    await api(bob).post(PATH, { name: "Hall" }, { headers });
    expect(await changes()).toHaveLength(1);
  });

  test("author and time cannot be set: the fields are refused", async () => {
    const fields = ["user", "user_id", "created_by", "updated_by", "created_at", "updated_at"];
    for (const field of fields) {
      const { status } = await api(bob).post(PATH, { name: "Hall", [field]: 1 });
      expect([field, status]).toEqual([field, 422]);
    }
  });

  test("omits the image of a code, which is derived from the name", async () => {
    await aLocation();
    const [entry] = await changes();
    expect(Object.keys(entry!.after)).not.toContain("qrcode");
  });
});

describe("the history of users", () => {
  test("contains changes, and keeps the name of a deactivated user", async () => {
    const { id } = await aUser({ username: "erin" });
    await api(alice).delete(`/user/users/${id}`);
    const entries = await changes();
    expect(entries.map(({ table_name, action }) => [table_name, action])).toEqual([
      ["users", "insert"],
      ["users", "update"],
    ]);
    expect(entries[1]!.before.deactivated_at).toBe(null);
    expect(entries[1]!.after).toMatchObject({ username: "erin" });
    expect(entries[1]!.after.deactivated_at).toBeString();
  });

  test("contains who created and revoked a personal token, in the change set of the cause", async () => {
    const { body } = await api(bob).post("/user/tokens", { description: "Scanner" });
    await api(alice).delete(`/user/users/${await idOf(bob)}`);
    const entries = await changes();
    expect(entries.map(({ table_name, action, user_id }) => [table_name, action, user_id])).toEqual(
      [
        ["tokens", "insert", await idOf(bob)],
        ["users", "update", await idOf(alice)],
        ["tokens", "update", await idOf(alice)],
      ],
    );
    expect(entries[2]).toMatchObject({ row_id: body.id, change_set: entries[1]!.change_set });
  });

  test("contains no logins and no uses of tokens", async () => {
    await api(stranger).post("/user/login", { username: "bob", password: PASSWORD });
    await api(stranger).post("/user/login", { username: "bob", password: "a wrong password" });
    await api(bob).get("/user/profile");
    expect(await changes()).toEqual([]);
  });

  test("contains no secret", async () => {
    await api(alice).post("/user/users", { username: "erin", password: PASSWORD });
    const change = { password: "another password of bob", current_password: PASSWORD };
    await api(bob).patch("/user/profile", change);
    const { token, id } = (await api(bob).post("/user/tokens", {})).body;
    await api(bob).delete(`/user/tokens/${id}`);
    const text = JSON.stringify(await changes());
    const secrets = [PASSWORD, change.password, "argon2id", "password_hash", "secret_hash"];
    for (const secret of [...secrets, token, token.split("_")[1], token.split("_")[2]]) {
      expect(text).not.toContain(secret);
    }
  });
});
