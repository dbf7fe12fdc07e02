import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { alice, api, bob, carol, fieldsOf, PASSWORD, service } from "../support/mod.ts";

const PATH = "/inventory/locations";

function key(value: string) {
  return { headers: { "idempotency-key": value } };
}

describe("Idempotency-Key", () => {
  test("a repeated create returns the same response, and creates one record", async () => {
    const first = await api(bob).post(PATH, { name: "Hall" }, key("once"));
    const second = await api(bob).post(PATH, { name: "Hall" }, key("once"));
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag")!);
    expect((await api(bob).get(PATH)).body).toHaveLength(1);
  });

  test("the first response is returned even after the record has changed or was deleted", async () => {
    const first = await api(bob).post(PATH, { name: "Hall" }, key("once"));
    await api(bob).patch(`${PATH}/${first.body.id}`, { name: "Other" });
    expect((await api(bob).post(PATH, { name: "Hall" }, key("once"))).text).toBe(first.text);
    await api(alice).delete(`${PATH}/${first.body.id}`);
    expect((await api(bob).post(PATH, { name: "Hall" }, key("once"))).text).toBe(first.text);
    expect((await api(bob).get(PATH)).body).toEqual([]);
  });

  test("sixteen concurrent requests create one record and all return it", async () => {
    const answers = await concurrently(16, () =>
      api(bob).post(PATH, { name: "Hall" }, key("at once")),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await api(bob).get(PATH)).body).toHaveLength(1);
  });

  test("with another body, path or parameter it is refused", async () => {
    await api(bob).post(PATH, { name: "Hall" }, key("once"));
    const answers = [
      await api(bob).post(PATH, { name: "Other" }, key("once")),
      await api(bob).post("/inventory/statuses", { name: "Hall" }, key("once")),
      await api(bob).post(`${PATH}?recursive=true`, { name: "Hall" }, key("once")),
    ];
    expect(answers.map(({ status, body }) => [status, fieldsOf(body)])).toEqual(
      answers.map(() => [422, ["Idempotency-Key"]]),
    );
    expect((await api(bob).get("/inventory/statuses")).body).toEqual([]);
  });

  test("belongs to its user", async () => {
    const first = await api(bob).post(PATH, { name: "Hall 1" }, key("once"));
    const second = await api(alice).post(PATH, { name: "Hall 2" }, key("once"));
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.name).toBe("Hall 2");
  });

  test("a refused create leaves it unused", async () => {
    expect((await api(bob).post(PATH, { name: "" }, key("once"))).status).toBe(422);
    await api(bob).post(PATH, { name: "Taken" });
    expect((await api(bob).post(PATH, { name: "taken" }, key("once"))).status).toBe(422);
    expect((await api(bob).post(PATH, { name: "Free" }, key("once"))).status).toBe(201);
  });

  test("does not help a user who may no longer write", async () => {
    await api(bob).post(PATH, { name: "Hall" }, key("once"));
    expect((await api(carol).post(PATH, { name: "Hall" }, key("once"))).status).toBe(403);
  });

  test("expires after a day", async () => {
    await api(bob).post(PATH, { name: "Hall" }, key("once"));
    const { sql } = await service();
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`;
    expect((await api(bob).post(PATH, { name: "Other" }, key("once"))).status).toBe(201);
  });

  test("that is empty or too long is refused", async () => {
    for (const value of ["", "x".repeat(256)]) {
      const { status, body } = await api(bob).post(PATH, { name: "Hall" }, key(value));
      expect(status, `${value.length} characters`).toBe(422);
      expect(fieldsOf(body), `${value.length} characters`).toEqual(["Idempotency-Key"]);
    }
    expect((await api(bob).post(PATH, { name: "Hall" }, key("x".repeat(255)))).status).toBe(201);
  });

  test("creates one user, too, and stores nothing from which a password could be guessed", async () => {
    const fields = { username: "erin", password: PASSWORD };
    const first = await api(alice).post("/user/users", fields, key("once"));
    const { sql } = await service();
    const [kept] = await sql`select idempotency_keys::text as row from idempotency_keys`;
    expect(kept.row).not.toContain(PASSWORD);
    const other = { ...fields, password: "another password altogether" };
    expect((await api(alice).post("/user/users", other, key("once"))).text).toBe(first.text);
  });
});
