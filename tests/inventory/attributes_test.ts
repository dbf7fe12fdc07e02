import { describe, expect, test } from "bun:test";
import {
  alice,
  api,
  audrey,
  bob,
  carol,
  cast,
  dave,
  fieldsOf,
  idOf,
  namesOf,
  service,
} from "../support/mod.ts";
import { textOf } from "../support/qr.ts";

const ACTIONS = [
  "Assign ICS id",
  "Clear all",
  "Clear attributes",
  "Fetch",
  "Register",
  "Set as parent",
  "Update",
];
/** The kinds that users edit: singular and plural. */
const KINDS = [
  ["manufacturer", "manufacturers"],
  ["model", "models"],
  ["location", "locations"],
  ["status", "statuses"],
] as const;

describe("GET /inventory/actions", () => {
  test("lists the actions of the scan desk", async () => {
    const { status, body, headers } = await api(carol).get("/inventory/actions");
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(ACTIONS);
    expect(headers.get("x-total-count")).toBe("7");
  });

  test("returns one of them as the same record, with its code", async () => {
    const [first] = (await api(carol).get("/inventory/actions")).body;
    const { status, body } = await api(carol).get(`/inventory/actions/${first.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(first);
    expect(body.description).toBe(null);
    expect(body.qrcode).toMatch(/^iVBORw0KGgo/);
  });

  test("refuses to create, change or delete one", async () => {
    const [{ id }] = (await api(alice).get("/inventory/actions")).body;
    const made = await api(alice).post("/inventory/actions", { name: "Burn" });
    const changed = await api(alice).patch(`/inventory/actions/${id}`, { name: "Burn" });
    const removed = await api(alice).delete(`/inventory/actions/${id}`);
    expect([made.status, changed.status, removed.status]).toEqual([405, 405, 405]);
  });
});

describe.each(KINDS)("a %s", (kind, kinds) => {
  const path = `/inventory/${kinds}`;
  const create = async (fields: object) => (await api(bob).post(path, fields)).body;

  test("is created by the inventory group, and read by all", async () => {
    const { status, body } = await api(bob).post(path, { name: "First", description: "The one" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: "First",
      description: "The one",
      qrcode: expect.stringMatching(/^iVBORw0KGgo/),
      ...(["model", "location"].includes(kind) && { tags: [], site: {} }),
      ...(kind === "location" && { parent: null }),
      ...(kind === "status" && { colour: null }),
    });
    for (const person of cast) {
      expect((await api(person).get(path)).body, person.username).toEqual([body]);
      expect((await api(person).get(`${path}/${body.id}`)).body, person.username).toEqual(body);
    }
  });

  test("has a code that contains its kind and name, and is updated with the name", async () => {
    const { id, qrcode } = await create({ name: "In service" });
    expect(textOf(qrcode)).toBe(`CSE:${kind}:In service`);
    const { body } = await api(bob).patch(`${path}/${id}`, { name: "Åldrad \u{1F4E6}" });
    expect(textOf(body.qrcode)).toBe(`CSE:${kind}:Åldrad \u{1F4E6}`);
    const described = await api(bob).patch(`${path}/${id}`, { description: "Old" });
    expect(described.body.qrcode).toBe(body.qrcode);
  });

  test("needs no description, and null clears it", async () => {
    const { id, description } = await create({ name: "First" });
    expect(description).toBe(null);
    const described = await api(bob).patch(`${path}/${id}`, { description: "The one\nand only" });
    expect(described.status).toBe(200);
    expect(described.body).toMatchObject({ name: "First", description: "The one\nand only" });
    const cleared = await api(bob).patch(`${path}/${id}`, { description: null });
    expect(cleared.body).toMatchObject({ name: "First", description: null });
  });

  test("has a unique name in its kind, ignoring case", async () => {
    const { id } = await create({ name: "Straße Å" });
    await create({ name: "Other" });
    const taken = { errors: [{ field: "name", message: "This name is taken" }] };
    for (const name of ["Straße Å", "STRASSE Å".replace("SS", "ß"), "straße å", " Straße å "]) {
      const { status, body } = await api(bob).post(path, { name });
      expect([name, status]).toEqual([name, 422]);
      expect(body, name).toMatchObject(taken);
    }
    const renamed = await api(bob).patch(`${path}/${id}`, { name: "OTHER" });
    expect(renamed.status).toBe(422);
    expect(renamed.body).toMatchObject(taken);
    expect((await api(bob).patch(`${path}/${id}`, { name: "STRAßE Å" })).status).toBe(200);
    expect((await api(bob).get(path)).body).toHaveLength(2);
  });

  test.each([
    [{}, ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: "   " }, ["name"]],
    [{ name: null }, ["name"]],
    [{ name: 1 }, ["name"]],
    [{ name: ["a"] }, ["name"]],
    [{ name: "two\nlines" }, ["name"]],
    [{ name: "x".repeat(101) }, ["name"]],
    [{ name: "x".repeat(65_536) }, ["name"]],
    [{ name: "First", description: 1 }, ["description"]],
    [{ name: "First", description: "x".repeat(10_001) }, ["description"]],
    [{ name: "First", shade: "red", id: 1 }, ["id", "shade"]],
    [{ name: "First", qrcode: "iVBORw0KGgo=" }, ["qrcode"]],
    [{ name: "First", created_by: 1 }, ["created_by"]],
  ])("is not created from %j", async (fields, wrong) => {
    const { status, body } = await api(bob).post(path, fields);
    expect(status).toBe(422);
    expect(fieldsOf(body).toSorted()).toEqual(wrong);
    expect((await api(bob).get(path)).body).toEqual([]);
  });

  test("is not changed by an empty body or unknown fields", async () => {
    const made = await create({ name: "First" });
    expect((await api(bob).patch(`${path}/${made.id}`, {})).status).toBe(422);
    const { status, body } = await api(bob).patch(`${path}/${made.id}`, {
      qrcode: "x",
      name: null,
    });
    expect(status).toBe(422);
    expect(fieldsOf(body).toSorted()).toEqual(["name", "qrcode"]);
    expect((await api(bob).get(`${path}/${made.id}`)).body).toEqual(made);
  });

  test("is deleted by an admin, and returns 404 afterwards", async () => {
    const { id } = await create({ name: "First" });
    const { status, text } = await api(alice).delete(`${path}/${id}`);
    expect(status).toBe(204);
    expect(text).toBe("");
    expect((await api(alice).get(`${path}/${id}`)).status).toBe(404);
    expect((await api(alice).patch(`${path}/${id}`, { name: "Second" })).status).toBe(404);
    expect((await api(alice).delete(`${path}/${id}`)).status).toBe(404);
  });

  test("is not deleted while items use it; the error gives their number", async () => {
    const { id } = await create({ name: "First" });
    const items = await itemsWith(kind, id, 2);
    const { status, body } = await api(alice).delete(`${path}/${id}`);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: "id", message: `This ${kind} is in use by 2 items` }]);
    await items.removeOne();
    expect((await api(alice).delete(`${path}/${id}`)).body.message).toEndWith("in use by 1 item");
    await items.removeOne();
    expect((await api(alice).delete(`${path}/${id}`)).status).toBe(204);
  });

  test("is changed by the inventory group and admins, and deleted by admins only", async () => {
    const { id } = await create({ name: "First" });
    for (const person of [audrey, carol, dave]) {
      expect((await api(person).post(path, { name: "Second" })).status, person.username).toBe(403);
      expect(
        (await api(person).patch(`${path}/${id}`, { name: "Second" })).status,
        person.username,
      ).toBe(403);
      expect((await api(person).delete(`${path}/${id}`)).status, person.username).toBe(403);
    }
    expect((await api(bob).delete(`${path}/${id}`)).status).toBe(403);
    expect((await api(alice).patch(`${path}/${id}`, { name: "Second" })).status).toBe(200);
    expect((await api(alice).post(path, { name: "Third" })).status).toBe(201);
  });

  test("that cannot be changed is refused with 403, whether it exists or not", async () => {
    expect((await api(carol).patch(`${path}/2147483647`, { name: "Second" })).status).toBe(403);
    expect((await api(bob).delete(`${path}/2147483647`)).status).toBe(403);
  });
});

// Items are inserted directly.
async function itemsWith(kind: string, id: number, count: number) {
  const { sql } = await service();
  const user = await idOf(alice);
  const made = Array.from({ length: count }, (_, number) => number + 100);
  for (const number of made) {
    await sql.unsafe(
      `insert into items (ics_id, serial_number, created_by, ${kind}_id) values ($1, 'x', $2, $3)`,
      [`AAA${number}`, user, id],
    );
  }
  return { removeOne: () => sql`delete from items where ics_id = ${`AAA${made.pop()}`}` };
}
