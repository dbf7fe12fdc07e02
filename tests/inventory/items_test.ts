import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import {
  aLocation,
  alice,
  aManufacturer,
  aModel,
  anItem,
  api,
  aStatus,
  bob,
  carol,
  fieldsOf,
} from "../support/mod.ts";
import { service } from "../support/service.ts";

const ITEMS = "/inventory/items";

describe("POST /inventory/items", () => {
  test("creates an item from its serial number alone, with a temporary id and every key", async () => {
    const { status, body } = await api(bob).post(ITEMS, { serial_number: "SN1" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ics_id: "ZZA000",
      serial_number: "SN1",
      quantity: 1,
      manufacturer: null,
      model: null,
      location: null,
      status: null,
      parent: null,
      children: [],
      macs: [],
      comments: [],
      host: null,
      stack_member: null,
      user: "bob",
    });
    expect(body.history).toEqual([
      { location: null, parent: null, quantity: 1, status: null, updated_at: body.updated_at },
    ]);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  });

  test("accepts every field of an item, with references by name", async () => {
    await Promise.all([
      aManufacturer({ name: "Maker" }),
      aModel({ name: "M1" }),
      aLocation({ name: "Hall A" }),
      aStatus({ name: "In service" }),
    ]);
    const parent = await anItem({ ics_id: "AAA001" });
    const { status, body } = await api(bob).post(ITEMS, {
      serial_number: "SN2",
      ics_id: "aab002",
      quantity: 3,
      manufacturer: "Maker",
      model: "M1",
      location: "hall a",
      status: "In service",
      parent_id: parent.id,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ics_id: "AAB002",
      quantity: 3,
      manufacturer: "Maker",
      model: "M1",
      location: "Hall A",
      status: "In service",
      parent: "AAA001",
    });
    expect((await api(carol).get(`${ITEMS}/AAA001`)).body.children).toEqual(["AAB002"]);
  });

  test("takes location and status from the parent, unless they are given", async () => {
    await Promise.all([
      aLocation({ name: "Hall A" }),
      aStatus({ name: "Spare" }),
      aStatus({ name: "Used" }),
    ]);
    const parent = await anItem({ location: "Hall A", status: "Spare" });
    const taken = await anItem({ parent_id: parent.id });
    expect(taken).toMatchObject({ location: "Hall A", status: "Spare" });
    const given = await anItem({ parent_id: parent.id, status: "Used" });
    expect(given).toMatchObject({ location: "Hall A", status: "Used" });
  });

  test.each([
    ["no serial number", {}, "serial_number"],
    ["an empty serial number", { serial_number: " " }, "serial_number"],
    ["a malformed id", { ics_id: "AB001" }, "ics_id"],
    ["a temporary id picked by hand", { ics_id: "ZZA001" }, "ics_id"],
    ["a quantity of none", { quantity: 0 }, "quantity"],
    ["a quantity in words", { quantity: "2" }, "quantity"],
    ["a quantity beyond counting", { quantity: 2 ** 53 }, "quantity"],
    ["an unknown manufacturer", { manufacturer: "Nobody" }, "manufacturer"],
    ["an unknown parent", { parent_id: 999 }, "parent_id"],
    ["a parent beyond counting", { parent_id: 2 ** 31 }, "parent_id"],
    ["an unknown host", { host_id: 999 }, "host_id"],
    ["a place in no stack", { stack_member: 1 }, "stack_member"],
    ["a field of the register's own", { user: "alice" }, "user"],
  ])("refuses %s, and creates nothing", async (_, fields, field) => {
    const given = { serial_number: "SN1", ...fields };
    const { status, body } = await api(bob).post(ITEMS, Object.keys(fields).length ? given : {});
    expect(status).toBe(422);
    expect(fieldsOf(body)).toContain(field);
    expect((await api(bob).get(ITEMS)).body).toEqual([]);
  });

  test("names the invalid fields", async () => {
    const { body } = await api(bob).post(ITEMS, {
      serial_number: "SN1",
      status: "Lost",
      model: "X",
    });
    expect(body.errors).toEqual([
      { field: "model", message: "'X' is not a valid model" },
      { field: "status", message: "'Lost' is not a valid status" },
    ]);
  });

  test("gives each of 40 concurrent requests the next free temporary id", async () => {
    const answers = await concurrently(40, (at) =>
      api(bob).post(ITEMS, { serial_number: `SN${at}` }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201));
    const ids = answers.map(({ body }) => body.ics_id).sort();
    expect(ids).toEqual(
      Array.from({ length: 40 }, (_, at) => `ZZA0${String(at).padStart(2, "0")}`),
    );
  });

  test("reuses a freed temporary id, and reports when all are used", async () => {
    const [first] = [await anItem(), await anItem()];
    await api(alice).delete(`${ITEMS}/${first.id}`);
    expect((await anItem()).ics_id).toBe("ZZA000");
    const { sql } = await service();
    await sql`
      insert into items (ics_id, serial_number)
      select 'ZZ' || chr(65 + n / 1000) || lpad((n % 1000)::text, 3, '0'), 'SN' from generate_series(2, 25998) n`;
    expect((await anItem()).ics_id).toBe("ZZZ999");
    const { status, body } = await api(bob).post(ITEMS, { serial_number: "SN" });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(["ics_id"]);
  });

  test("gives an id to one of many concurrent requests", async () => {
    const answers = await concurrently(16, () =>
      api(bob).post(ITEMS, { serial_number: "SN", ics_id: "AAA001" }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(15);
  });

  test("is not allowed for readers", async () => {
    expect((await api(carol).post(ITEMS, { serial_number: "SN" })).status).toBe(403);
  });
});

describe("GET /inventory/items/(id_)", () => {
  test("finds an item by its primary key and by its label, in any case", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    for (const name of [id, "AAA001", "aaa001"]) {
      const { status, body } = await api(carol).get(`${ITEMS}/${name}`);
      expect([name, status, body.id]).toEqual([name, 200, id]);
    }
    for (const name of ["AAA002", "999", "0", "2147483648", "9007199254740993", "1e3", "-1"]) {
      expect([name, (await api(carol).get(`${ITEMS}/${name}`)).status]).toEqual([name, 404]);
    }
  });

  test("nests referenced records with recursive=true", async () => {
    await aLocation({ name: "Hall A", description: "The big one" });
    const parent = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const { id } = await anItem({ ics_id: "AAA002", parent_id: parent.id });
    const { body } = await api(carol).get(`${ITEMS}/${id}?recursive=true`);
    expect(body.location).toMatchObject({ name: "Hall A", description: "The big one" });
    expect(body.parent).toMatchObject({ ics_id: "AAA001" });
    const above = await api(carol).get(`${ITEMS}?recursive=true&ics_id=AAA001`);
    expect(above.body[0].children).toMatchObject([{ ics_id: "AAA002" }]);
    expect((await api(carol).get(`${ITEMS}/${id}?recursive=maybe`)).status).toBe(422);
  });
});

describe("GET /inventory/items", () => {
  test("lists in the order of creation, and filters by every name and key", async () => {
    const status = await aStatus({ name: "In use" });
    await aLocation({ name: "Hall A" });
    const parent = await anItem({ ics_id: "AAA001", status: "In use" });
    await anItem({ ics_id: "AAA002", parent_id: parent.id, location: "Hall A", quantity: 5 });
    const ids = async (query: string) => {
      const { body } = await api(carol).get(`${ITEMS}?${query}`);
      return body.map((one: { ics_id: string }) => one.ics_id);
    };
    expect(await ids("")).toEqual(["AAA001", "AAA002"]);
    expect(await ids(`status_id=${status.id}&sort=-ics_id`)).toEqual(["AAA002", "AAA001"]);
    expect(await ids("status=in USE&location=Hall A")).toEqual(["AAA002"]);
    expect(await ids("location__isnull=true")).toEqual(["AAA001"]);
    expect(await ids("parent=aaa001")).toEqual(["AAA002"]);
    expect(await ids(`parent_id=${parent.id}`)).toEqual(["AAA002"]);
    expect(await ids("quantity__gte=2")).toEqual(["AAA002"]);
    expect(await ids("ics_id__startswith=aaa&user=alice")).toEqual(["AAA001", "AAA002"]);
    expect(await ids("q=*hall*")).toEqual(["AAA002"]);
    expect((await api(carol).get(`${ITEMS}?children=AAA002`)).status).toBe(422);
    expect((await api(carol).get(`${ITEMS}?sort=history`)).status).toBe(422);
  });
});

describe("DELETE /inventory/items/(id)", () => {
  test("deletes the comments and keeps the MACs, without an item", async () => {
    const { id } = await anItem();
    const comment = (await api(bob).post(`${ITEMS}/${id}/comments`, { body: "Dusty" })).body;
    const mac = { address: "02:42:42:00:00:01", item_id: id };
    await api(bob).post("/inventory/macs", mac);
    expect((await api(bob).delete(`${ITEMS}/${id}`)).status).toBe(403);
    expect((await api(alice).delete(`${ITEMS}/${id}`)).status).toBe(204);
    expect((await api(alice).get(`${ITEMS}/${id}`)).status).toBe(404);
    expect((await api(alice).get(`${ITEMS}/comments/${comment.id}`)).status).toBe(404);
    expect((await api(bob).get("/inventory/macs")).body).toMatchObject([{ item: null }]);
  });

  test("is refused while the item contains others", async () => {
    const { id } = await anItem();
    await anItem({ parent_id: id });
    const { status, body } = await api(alice).delete(`${ITEMS}/${id}`);
    expect(status).toBe(422);
    expect(body.detail).toContain("contains 1 other item");
  });

  test("does not accept a label as a key", async () => {
    await anItem({ ics_id: "AAA001" });
    expect((await api(alice).delete(`${ITEMS}/AAA001`)).status).toBe(404);
  });
});
