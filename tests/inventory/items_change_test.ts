import { describe, expect, test } from "bun:test";
import { aLocation, alice, anItem, api, aStatus, bob, carol, fieldsOf } from "../support/mod.ts";
import { service } from "../support/service.ts";

const ITEMS = "/inventory/items";

function change(id: number | string, fields: object, headers = {}) {
  return api(bob).patch(`${ITEMS}/${id}`, fields, { headers });
}

describe("PATCH /inventory/items/(id_)", () => {
  test("changes the fields that are sent and keeps the rest, by either id", async () => {
    await aStatus({ name: "Broken" });
    const { id } = await anItem({ ics_id: "AAA001", quantity: 2 });
    const { status, body } = await change("aaa001", { status: "Broken", serial_number: "SN9" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: "Broken",
      serial_number: "SN9",
      quantity: 2,
      user: "bob",
    });
    expect((await change(id, { status: null })).body.status).toBeNull();
    expect((await change(id, {})).status).toBe(422);
    expect((await change(999, { quantity: 1 })).status).toBe(404);
    expect((await api(carol).patch(`${ITEMS}/999`, { quantity: 1 })).status).toBe(403);
  });

  test("replaces a temporary id by a label, once", async () => {
    const { id } = await anItem();
    expect((await change(id, { ics_id: "ZZA005" })).status).toBe(422);
    expect((await change(id, { ics_id: "aaa001" })).body.ics_id).toBe("AAA001");
    const again = await change(id, { ics_id: "AAA002" });
    expect(again.status).toBe(422);
    expect(fieldsOf(again.body)).toEqual(["ics_id"]);
    expect((await change(id, { ics_id: "AAA001", quantity: 4 })).body.quantity).toBe(4);
  });

  test("applies location and status to everything inside", async () => {
    await Promise.all([
      aLocation({ name: "Hall A" }),
      aLocation({ name: "Hall B" }),
      aStatus({ name: "Used" }),
    ]);
    const rack = await anItem({ location: "Hall A" });
    const crate = await anItem({ parent_id: rack.id });
    const card = await anItem({ parent_id: crate.id });
    await change(rack.id, { location: "Hall B", status: "Used" });
    for (const { id } of [crate, card]) {
      const { body } = await api(carol).get(`${ITEMS}/${id}`);
      expect(body, `item ${id}`).toMatchObject({ location: "Hall B", status: "Used", user: "bob" });
      expect(body.history, `item ${id}`).toHaveLength(2);
    }
  });

  test("puts an item into a parent with its location and status, and its contents too", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const crate = await anItem({ location: "Hall B" });
    const card = await anItem({ parent_id: crate.id });
    expect((await change(crate.id, { parent: "aaa001" })).body).toMatchObject({
      parent: "AAA001",
      location: "Hall A",
    });
    expect((await api(carol).get(`${ITEMS}/${card.id}`)).body.location).toBe("Hall A");
    const kept = await change(crate.id, { parent: null });
    expect(kept.body).toMatchObject({ parent: null, location: "Hall A" });
    expect((await change(rack.id, { parent: "AAA999" })).body.errors).toEqual([
      { field: "parent", message: "'AAA999' is not a valid parent" },
    ]);
  });

  test("refuses circles, also when two requests close one together", async () => {
    const [one, two] = [await anItem({ ics_id: "AAA001" }), await anItem({ ics_id: "AAA002" })];
    expect((await change(one.id, { parent: "AAA001" })).status).toBe(422);
    const both = await Promise.all([
      change(one.id, { parent: "AAA002" }),
      change(two.id, { parent: "AAA001" }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  test("never misses a child that is added while the parent moves", async () => {
    await Promise.all(["A", "B", "C"].map((name) => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001", location: "A" });
    const crates = await Promise.all(Array.from({ length: 8 }, () => anItem({ location: "C" })));
    await Promise.all([
      ...crates.map(({ id }) => change(id, { parent: "AAA001" })),
      change(rack.id, { location: "B" }),
    ]);
    const { body } = await api(carol).get(`${ITEMS}?parent=AAA001`);
    expect(body.map((one: { location: string }) => one.location)).toEqual(Array(8).fill("B"));
  });

  test("stores a state of an item for each move", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aStatus({ name: "Used" })]);
    const { id } = await anItem({ quantity: 1 });
    await change(id, { location: "Hall A" });
    await change(id, { serial_number: "Another" });
    await change(id, { status: "Used", quantity: 2 });
    const { body } = await api(carol).get(`${ITEMS}/${id}`);
    const states = body.history.map(({ updated_at, ...state }: { updated_at: string }) => state);
    expect(states).toEqual([
      { location: null, parent: null, quantity: 1, status: null },
      { location: "Hall A", parent: null, quantity: 1, status: null },
      { location: "Hall A", parent: null, quantity: 2, status: "Used" },
    ]);
  });

  test("loses no update of concurrent writers", async () => {
    const { id } = await anItem({ quantity: 1 });
    async function increment(): Promise<boolean> {
      const { body, headers } = await api(bob).get(`${ITEMS}/${id}`);
      const answer = await change(
        id,
        { quantity: body.quantity + 1 },
        { "if-match": headers.get("etag") },
      );
      return answer.status === 200;
    }
    const done = (await Promise.all(Array.from({ length: 20 }, increment))).filter(Boolean).length;
    expect((await api(bob).get(`${ITEMS}/${id}`)).body.quantity).toBe(1 + done);
  });
});

describe("the stack member", () => {
  async function aHost(type: string): Promise<number> {
    const { sql } = await service();
    const [host] = await sql`
      insert into hosts (name, device_type_id) select 'sw-' || gen_random_uuid(), id from device_types where name = ${type}
      returning id`;
    return host.id;
  }

  test("is allowed for items on a network device, and used by one at a time", async () => {
    const host_id = await aHost("Network");
    const [one, two] = [await anItem({ host_id, stack_member: 0 }), await anItem({ host_id })];
    expect(one.stack_member).toBe(0);
    const taken = await change(two.id, { stack_member: 0 });
    expect(taken.status).toBe(422);
    expect(fieldsOf(taken.body)).toEqual(["stack_member"]);
    expect((await change(two.id, { stack_member: 10 })).status).toBe(422);
    expect((await change(two.id, { stack_member: 9 })).status).toBe(200);
    const server = await aHost("Physical");
    expect((await change(one.id, { host_id: server })).status).toBe(422);
    expect((await change(one.id, { host_id: null })).body.stack_member).toBeNull();
  });

  test("of a hidden host is not disclosed", async () => {
    const host_id = await aHost("Network");
    const { id } = await anItem({ host_id, stack_member: 1 });
    const { sql } = await service();
    await sql.unsafe(`
      with d as (insert into domains (name) values ('hidden.example') returning id),
      s as (insert into scopes (name, first_vlan, last_vlan, supernet, domain_id)
        select 'Hidden', 1, 10, '10.0.0.0/16', id from d returning id, domain_id),
      n as (insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, sensitive, scope_id, domain_id)
        select 'Hidden', 1, '10.0.0.0/24', '10.0.0.1', '10.0.0.9', true, id, domain_id from s returning id)
      insert into interfaces (host_id, network_id, name, ip) select ${host_id}, id, 'hidden-1', '10.0.0.1' from n`);
    const seen = await api(alice).get(`${ITEMS}/${id}`);
    expect(seen.body).toMatchObject({ stack_member: 1 });
    expect(seen.body.host).toStartWith("sw-");
    const hidden = await api(carol).get(`${ITEMS}/${id}`);
    expect(hidden.body).toMatchObject({ host: null, stack_member: null });
    expect((await api(carol).get(`${ITEMS}?host_id=${host_id}`)).body).toEqual([]);
    expect((await api(bob).post(ITEMS, { serial_number: "SN", host_id })).body.errors).toEqual([
      { field: "host_id", message: `There is no host ${host_id}` },
    ]);
  });
});
