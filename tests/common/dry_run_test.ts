import { describe, expect, test } from "bun:test";
import { changes, everything } from "../support/history.ts";
import { aLocation, alice, api, bob, carol, fieldsOf, idOf, PASSWORD } from "../support/mod.ts";

const PATH = "/inventory/locations";

describe("dry_run=true", () => {
  test("a create returns the record and creates none", async () => {
    await api(bob).get(PATH);
    const before = await everything();
    const { status, body } = await api(bob).post(`${PATH}?dry_run=true`, { name: " Hall " });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Hall", description: null });
    expect(body.qrcode).toStartWith("iVBOR");
    expect(await everything()).toBe(before);
  });

  test("a change returns the changed record and changes nothing", async () => {
    const made = await aLocation({ name: "Hall 1" });
    const { headers } = await api(bob).get(`${PATH}/${made.id}`);
    const before = await everything();
    const path = `${PATH}/${made.id}?dry_run=true`;
    const { status, body } = await api(bob).patch(path, { name: "Hall 2" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.id, name: "Hall 2" });
    expect(await everything()).toBe(before);
    const again = await api(bob).get(`${PATH}/${made.id}`);
    expect(again.body).toEqual(made);
    expect(again.headers.get("etag")).toBe(headers.get("etag")!);
  });

  test("a deletion returns 204 and keeps the record", async () => {
    const { id } = await aLocation();
    expect((await api(alice).delete(`${PATH}/${id}?dry_run=true`)).status).toBe(204);
    expect((await api(alice).get(`${PATH}/${id}`)).status).toBe(200);
  });

  test("adds nothing to the history", async () => {
    const { id } = await aLocation();
    const before = await changes();
    await api(bob).post(`${PATH}?dry_run=true`, { name: "Hall" });
    await api(bob).patch(`${PATH}/${id}?dry_run=true`, { name: "Hall" });
    await api(alice).delete(`${PATH}/${id}?dry_run=true`);
    expect(await changes()).toEqual(before);
  });

  test("refuses what the write would refuse", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    await aLocation({ name: "Hall 2" });
    const answers = [
      await api(bob).post(`${PATH}?dry_run=true`, { name: "hall 1" }),
      await api(bob).post(`${PATH}?dry_run=true`, {}),
      await api(bob).patch(`${PATH}/${id}?dry_run=true`, { name: "HALL 2" }),
      await api(carol).post(`${PATH}?dry_run=true`, { name: "Hall" }),
      await api(bob).patch(`${PATH}/2147483647?dry_run=true`, { name: "Hall" }),
      await api(bob).delete(`${PATH}/${id}?dry_run=true`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 403, 404, 403]);
  });

  test("creates no user, and deactivates or demotes none", async () => {
    const path = `/user/users/${await idOf(bob)}`;
    const before = await everything();
    const fields = { username: "erin", password: PASSWORD };
    expect((await api(alice).post("/user/users?dry_run=true", fields)).status).toBe(201);
    expect((await api(alice).patch(`${path}?dry_run=true`, { groups: [] })).status).toBe(200);
    expect((await api(alice).delete(`${path}?dry_run=true`)).status).toBe(204);
    expect((await api(bob).get("/user/profile")).body.groups).toEqual(["inventory"]);
    expect(await everything()).toBe(before);
  });

  test("a token created by a dry run is not valid", async () => {
    const { status, body } = await api(bob).post("/user/tokens?dry_run=true", {});
    expect(status).toBe(201);
    expect((await api({ token: body.token }).get("/user/profile")).status).toBe(401);
    expect((await api(bob).get("/user/tokens")).body).toEqual([]);
  });

  test("a token revoked by a dry run stays valid", async () => {
    const { id, token } = (await api(bob).post("/user/tokens", {})).body;
    expect((await api(bob).delete(`/user/tokens/${id}?dry_run=true`)).status).toBe(204);
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
  });

  test("does not use up the Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    await api(bob).post(`${PATH}?dry_run=true`, { name: "Hall" }, { headers });
    const { status } = await api(bob).post(PATH, { name: "Hall" }, { headers });
    expect(status).toBe(201);
    expect((await api(bob).get(PATH)).body).toHaveLength(1);
  });

  test("accepts the flag in any case", async () => {
    for (const query of ["dry_run=True", "dry_run=TRUE", "dry_run=tRuE"]) {
      expect((await api(bob).post(`${PATH}?${query}`, { name: "Hall" })).status).toBe(201);
    }
    expect((await api(bob).get(PATH)).body).toEqual([]);
  });

  test("false is the same as no parameter; anything else is refused", async () => {
    expect((await api(bob).post(`${PATH}?dry_run=False`, { name: "Hall" })).status).toBe(201);
    for (const query of ["dry_run=1", "dry_run", "dry_run=yes", "dry_run=true&dry_run=true"]) {
      const { status, body } = await api(bob).post(`${PATH}?${query}`, { name: "Hall 2" });
      expect([query, status]).toEqual([query, 422]);
      expect(fieldsOf(body), query).toEqual(["dry_run"]);
    }
    expect((await api(bob).get(`${PATH}?dry_run=true`)).status).toBe(422);
  });
});
