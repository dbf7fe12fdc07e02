import { describe, expect, test } from "bun:test";
import { aHiddenHost } from "../support/hidden.ts";
import { happenedOn } from "../support/history.ts";
import {
  aHost,
  aLocation,
  alice,
  anItem,
  api,
  aStatus,
  audrey,
  bob,
  carol,
  fieldsOf,
  type Person,
  service,
} from "../support/mod.ts";

const ITEMS = "/inventory/items";

function at(id: number | string, time: string, by: Person = carol) {
  return api(by).get(`${ITEMS}/${id}?at=${encodeURIComponent(time)}`);
}

describe("GET /inventory/items/(id_)?at=", () => {
  test("returns the item as it was: fields, names, parent, children, MACs, comments, history", async () => {
    const hall = await aLocation({ name: "Hall A" });
    await Promise.all([aLocation({ name: "Yard" }), aStatus({ name: "Used" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const { id } = await anItem({ ics_id: "AAA002", serial_number: "Old", parent_id: rack.id });
    const card = await anItem({ ics_id: "AAA003", parent_id: id });
    const address = "02:42:42:00:00:01";
    const mac = (await api(bob).post("/inventory/macs", { address, item_id: id })).body;
    const comment = (await api(bob).post(`${ITEMS}/${id}/comments`, { body: "First" })).body;
    const then = (await api(carol).get(`${ITEMS}/${id}`)).body;
    await happenedOn(10);
    await api(bob).patch(`${ITEMS}/${card.id}`, { parent: "AAA001" });
    await api(bob).patch(`${ITEMS}/${id}`, { parent: null, serial_number: "New", quantity: 4 });
    await api(bob).patch(`${ITEMS}/${id}`, { location: "Yard", status: "Used" });
    await api(bob).patch(`/inventory/macs/${mac.id}`, { item_id: rack.id });
    await api(bob).patch(`${ITEMS}/comments/${comment.id}`, { body: "Second" });
    await api(bob).patch(`/inventory/locations/${hall.id}`, { name: "Hall Z" });
    await happenedOn(20);
    const past = await at(id, "2026-01-15 00:00");
    expect(past.status).toBe(200);
    const { created_at, updated_at, history, ...kept } = then;
    expect(past.body).toMatchObject({ ...kept, updated_at: "2026-01-10 14:05" });
    expect(past.body.history).toMatchObject([{ location: "Hall A", parent: "AAA001" }]);
    expect((await at("aaa001", "2026-01-15")).body.children).toEqual(["AAA002"]);
    expect((await at("AAA001", "2026-01-25")).body).toMatchObject({
      children: ["AAA003"],
      macs: [address],
      location: "Hall Z",
    });
    const now = (await api(carol).get(`${ITEMS}/${id}`)).body;
    const { created_at: _, updated_at: __, history: states, ...same } = now;
    expect((await at(id, "2026-01-25")).body).toMatchObject(same);
    expect((await at(id, "2026-01-25")).body.history).toHaveLength(states.length);
  });

  test("includes what happened within the given minute, second or day", async () => {
    const { id } = await anItem();
    await happenedOn(10);
    for (const time of ["2026-01-10", "2026-01-10 14:05", "2026-01-10T14:05:30"]) {
      expect([time, (await at(id, time)).status]).toEqual([time, 200]);
    }
    for (const time of ["2026-01-09", "2026-01-10 14:04", "2026-01-10 14:05:29"]) {
      expect([time, (await at(id, time)).status]).toEqual([time, 404]);
    }
  });

  test("finds deleted items, by either id, and none before their creation", async () => {
    const old = await anItem({ ics_id: "AAA001", serial_number: "Old" });
    await happenedOn(5);
    await api(alice).delete(`${ITEMS}/${old.id}`);
    await happenedOn(10);
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "New" });
    await happenedOn(20);
    expect((await at(old.id, "2026-01-07")).body.serial_number).toBe("Old");
    expect((await at("AAA001", "2026-01-07")).body.serial_number).toBe("Old");
    expect((await at("AAA001", "2026-01-15")).status).toBe(404);
    expect((await at("AAA001", "2026-01-25")).body).toMatchObject({ id, serial_number: "New" });
    expect((await at(id, "2026-01-07")).status).toBe(404);
    expect((await at(2147483648, "2026-01-07")).status).toBe(404);
  });

  test("finds an item under a former temporary id by its present label", async () => {
    const { id, ics_id } = await anItem();
    await happenedOn(5);
    await api(bob).patch(`${ITEMS}/${id}`, { ics_id: "AAA001" });
    expect((await at("AAA001", "2026-01-07")).body).toMatchObject({ id, ics_id });
  });

  test("keeps a hidden host hidden, also after it was deleted", async () => {
    const host_id = await aHiddenHost();
    const { id } = await anItem();
    await api(alice).patch(`${ITEMS}/${id}`, { host_id, stack_member: 3 });
    await happenedOn(10);
    const open = { host: "canary", stack_member: 3 };
    const hidden = { host: null, stack_member: null };
    const { sql } = await service();
    await sql`update changes set at = '2026-01-09Z' where table_name = 'hosts'`;
    expect((await at(id, "2026-01-15", audrey)).body).toMatchObject(open);
    expect((await at(id, "2026-01-15")).body).toMatchObject(hidden);
    await sql`delete from hosts where id = ${host_id}`;
    expect((await at(id, "2026-01-15", audrey)).body).toMatchObject(open);
    expect((await at(id, "2026-01-15")).body).toMatchObject(hidden);
  });

  test("shows a deleted host that everybody could see", async () => {
    const { id: host_id } = await aHost({ name: "switch", device_type: "Network" });
    const { id } = await anItem({ host_id, stack_member: 3 });
    await happenedOn(10);
    await api(alice).delete(`/network/hosts/${host_id}`);
    expect((await at(id, "2026-01-15")).body).toMatchObject({ host: "switch", stack_member: 3 });
    expect((await api(carol).get(`${ITEMS}/${id}`)).body).toMatchObject({ host: null });
  });

  test("refuses an invalid or future time with a message", async () => {
    const { id } = await anItem();
    for (const time of ["yesterday", "2026-13-01", "2026-01-31 25:00", "", "2026-01-31Z"]) {
      const { status, body } = await at(id, time);
      expect([time, status, fieldsOf(body)]).toEqual([time, 422, ["at"]]);
    }
    // Before the item was created.
    expect((await at(id, "2026-01-31T14:05:30.5Z")).status).toBe(404);
    const { status, body } = await at(id, "2999-01-01");
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: "at", message: "Use a time that has passed" }]);
    const twice = await api(carol).get(`${ITEMS}/${id}?at=2026-01-01&at=2026-01-02`);
    expect(fieldsOf(twice.body)).toEqual(["at"]);
    const recursive = await api(carol).get(`${ITEMS}/${id}?at=2026-01-01&recursive=true`);
    expect(fieldsOf(recursive.body)).toEqual(["recursive"]);
  });
});

describe("the history of an item", () => {
  test("names deleted records, and shows only the changes when an item is restored", async () => {
    await aLocation();
    const hall = await aLocation({ name: "Hall A" });
    const { id } = await anItem({ location: "Hall A" });
    await api(bob).patch(`${ITEMS}/${id}`, { location: null });
    await api(alice).delete(`/inventory/locations/${hall.id}`);
    const { body } = await api(carol).get(`${ITEMS}/${id}`);
    expect(body.history.map(({ location }: { location: string }) => location)).toEqual([
      "Hall A",
      null,
    ]);
  });
});
