import { describe, expect, spyOn, test } from "bun:test";
import { PgDialect } from "drizzle-orm/pg-core";
import { publicId } from "../../src/input/change_ids.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { changes } from "../support/history.ts";
import {
  aHost,
  aLocation,
  alice,
  aNetwork,
  anItem,
  api,
  aStatus,
  bob,
  carol,
  dave,
  inOrder,
  service,
} from "../support/mod.ts";
import { latest, sentences, undoing, undoLatest } from "../support/undo.ts";

const ITEMS = "/inventory/items";

async function shown(id: number | string) {
  return (await api(carol).get(`${ITEMS}/${id}`)).body;
}

describe("GET /changes/{id}", () => {
  test("returns the user and the changes of each field", async () => {
    await aLocation({ name: "Hall A" });
    const { id } = await anItem({ ics_id: "AAA001", quantity: 2 });
    await api(bob).patch(`${ITEMS}/${id}`, { location: "Hall A", quantity: 3 });
    const { status, body } = await api(carol).get(`/changes/${await latest()}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: "bob", undoes: null, undone_by: null, total: 1 });
    expect(body.events).toEqual([
      {
        change_set: body.id,
        at: body.at,
        user: "bob",
        table_name: "items",
        row_id: id,
        action: "update",
        name: "AAA001",
        differences: [
          { field: "quantity", old: "2", now: "3" },
          { field: "location", old: null, now: "Hall A" },
        ],
      },
    ]);
  });

  test("finds only changes of records that everybody may see", async () => {
    const { sql } = await service();
    await api(alice).post("/user/users", { username: "erin", password: "a long enough secret" });
    expect((await api(alice).get(`/changes/${await latest()}`)).status).toBe(404);
    await sql`insert into domains (name) values ('example.org')`;
    expect((await api(alice).get(`/changes/${await latest()}`)).status).toBe(404);
    expect((await api(alice).get(`/changes/${publicId(2_147_483_647)}`)).status).toBe(404);
  });
});

describe("POST /changes/{id}/undo", () => {
  test("restores changed fields, as a new change that refers to the old one", async () => {
    const { id } = await anItem({ serial_number: "Old", quantity: 2 });
    await api(alice).patch(`${ITEMS}/${id}`, { serial_number: "New", quantity: 3 });
    const undone = await latest();
    const { status, body } = await undoing(undone);
    expect(status).toBe(201);
    expect(body).toMatchObject({ user: "bob", undoes: undone, undone_by: null });
    expect(await shown(id)).toMatchObject({ serial_number: "Old", quantity: 2, user: "bob" });
    expect((await api(carol).get(`/changes/${undone}`)).body.undone_by).toBe(body.id);
  });

  test("keeps later changes of other fields, and is refused for later changes of the same", async () => {
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "Old", quantity: 1 });
    await api(bob).patch(`${ITEMS}/${id}`, { quantity: 5 });
    const counted = await latest();
    await api(bob).patch(`${ITEMS}/${id}`, { serial_number: "New" });
    const named = await latest();
    await api(bob).patch(`${ITEMS}/${id}`, { serial_number: "Newer" });
    expect(sentences(await undoing(named))).toEqual([
      422,
      expect.stringMatching(
        /^AAA001 has been changed since, by bob on [\d-]{10} \d\d:\d\d UTC: undo that first$/,
      ),
    ]);
    expect((await undoing(counted)).status).toBe(201);
    expect(await shown(id)).toMatchObject({ serial_number: "Newer", quantity: 1 });
  });

  test("does not say who has mounted an item on a hidden host since", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const hidden = await aNetwork({ sensitive: true });
    const seen = await aHost();
    const canary = await aHost({ network: hidden.vlan_name });
    await api(alice).patch(`${ITEMS}/${id}`, { host_id: seen.id });
    const mounted = await latest();
    await api(alice).patch(`${ITEMS}/${id}`, { host_id: canary.id });
    expect(sentences(await undoing(mounted))).toEqual([422, "AAA001 has been changed since"]);
  });

  test("moves a rack back with its contents", async () => {
    await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const crate = await anItem({ parent_id: rack.id });
    const card = await anItem({ parent_id: crate.id });
    await api(bob).patch(`${ITEMS}/${rack.id}`, { location: "Hall B" });
    const moved = await latest();
    expect((await undoing(moved)).status).toBe(201);
    for (const { id } of [rack, crate, card])
      expect((await shown(id)).location, String(id)).toBe("Hall A");
    expect((await undoLatest()).status).toBe(201);
    for (const { id } of [rack, crate, card])
      expect((await shown(id)).location, String(id)).toBe("Hall B");
  });

  test("leaves what was put into a rack after its move", async () => {
    await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    await api(bob).patch(`${ITEMS}/${rack.id}`, { location: "Hall B" });
    const moved = await latest();
    await anItem({ ics_id: "AAA002", parent_id: rack.id });
    expect(sentences(await undoing(moved))).toEqual([
      422,
      "AAA002 has been moved into AAA001 since",
    ]);
    expect((await shown(rack.id)).location).toBe("Hall B");
  });

  test("never creates a circle", async () => {
    const [one, two] = [await anItem({ ics_id: "AAA001" }), await anItem({ ics_id: "AAA002" })];
    await api(bob).patch(`${ITEMS}/${one.id}`, { parent: "AAA002" });
    await api(bob).patch(`${ITEMS}/${one.id}`, { parent: null });
    const taken = await latest();
    await api(bob).patch(`${ITEMS}/${two.id}`, { parent: "AAA001" });
    const [status, sentence] = sentences(await undoing(taken));
    expect([status, sentence]).toEqual([
      422,
      expect.stringMatching(/^AAA00.: An item cannot be inside itself or its own contents$/),
    ]);
  });

  test("restores a deleted item with its id, comments, MACs and creation data", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const address = "02:42:42:00:00:01";
    const comment = (await api(bob).post(`${ITEMS}/${id}/comments`, { body: "Dented" })).body;
    await api(bob).post("/inventory/macs", { address, item_id: id });
    const before = await shown(id);
    const { sql } = await service();
    await sql`alter table items disable trigger stamp`;
    await sql`update items set created_at = '2026-01-31 14:05Z' where id = ${id}`;
    await sql`alter table items enable trigger stamp`;
    await api(alice).delete(`${ITEMS}/${id}`);
    expect((await undoLatest()).status).toBe(201);
    const { updated_at, ...kept } = before;
    expect(await shown(id)).toMatchObject({ ...kept, user: "bob", created_at: "2026-01-31 14:05" });
    expect((await api(carol).get(`${ITEMS}/comments/${comment.id}`)).body.user).toBe("bob");
    const change = { body: "Mended" };
    expect((await api(bob).patch(`${ITEMS}/comments/${comment.id}`, change)).status).toBe(200);
  });

  test("refuses what conflicts with present data, and names the record", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(alice).delete(`${ITEMS}/${id}`);
    const deleted = await latest();
    await anItem({ ics_id: "AAA001" });
    expect(sentences(await undoing(deleted))).toEqual([
      422,
      "AAA001 cannot have its old label back: it is in use",
    ]);
    const hall = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${hall.id}`, { name: "Hall B" });
    const renamed = await latest();
    await aLocation({ name: "hall a" });
    expect(sentences(await undoing(renamed))).toEqual([
      422,
      "Hall B cannot have its old name back: it is in use",
    ]);
  });

  test("refuses a missing reference, and a record that was deleted", async () => {
    const hall = await aLocation({ name: "Hall A" });
    const { id } = await anItem({ ics_id: "AAA001", location: "Hall A" });
    await api(bob).patch(`${ITEMS}/${id}`, { location: null });
    const moved = await latest();
    await api(alice).delete(`/inventory/locations/${hall.id}`);
    expect(sentences(await undoing(moved))).toEqual([
      422,
      "AAA001 cannot have its old location back: it has been deleted",
    ]);
    await api(alice).delete(`${ITEMS}/${id}`);
    expect(sentences(await undoing(moved))).toEqual([
      422,
      expect.stringMatching(/^AAA001 has been deleted since, by alice on .+ UTC: undo that first$/),
    ]);
  });

  test("deletes a record that one created, while nothing depends on it", async () => {
    const { body: item } = await api(bob).post(ITEMS, { serial_number: "SN", ics_id: "AAA001" });
    const made = await latest();
    const { body: inside } = await api(bob).post(ITEMS, {
      serial_number: "SN",
      parent_id: item.id,
    });
    const within = await latest();
    expect(sentences(await undoing(made))).toEqual([422, "AAA001 is in use now"]);
    expect((await undoing(within)).status).toBe(201);
    const comments = `${ITEMS}/${item.id}/comments`;
    const { body: comment } = await api(bob).post(comments, { body: "Keep" });
    expect(sentences(await undoing(made))).toEqual([422, "AAA001 has gained a comment since"]);
    await api(bob).delete(`${ITEMS}/comments/${comment.id}`);
    expect((await undoing(made)).status).toBe(201);
    expect((await api(carol).get(ITEMS)).body).toEqual([]);
    expect((await api(carol).get(`${ITEMS}/${inside.id}`)).status).toBe(404);
  });

  test("generates the image of a code from the name again", async () => {
    const { id, qrcode } = await aStatus({ name: "In use" });
    await api(bob).patch(`/inventory/statuses/${id}`, { name: "In service" });
    await undoLatest();
    const { body } = await api(carol).get(`/inventory/statuses/${id}`);
    expect(body).toMatchObject({ name: "In use", qrcode });
    await api(alice).delete(`/inventory/statuses/${id}`);
    await undoLatest();
    expect((await api(carol).get(`/inventory/statuses/${id}`)).body.qrcode).toBe(qrcode);
  });

  test("is allowed for those who may make the reverse change", async () => {
    const { id } = await anItem();
    const made = await latest();
    for (const person of [carol, dave]) expect((await undoing(made, person)).status).toBe(403);
    expect((await undoing(made, bob)).status).toBe(403);
    const { body } = await api(alice).post(`${ITEMS}/${id}/comments`, { body: "One" });
    await api(alice).patch(`${ITEMS}/comments/${body.id}`, { body: "Two" });
    expect((await undoLatest(bob)).status).toBe(403);
    expect((await undoLatest(alice)).status).toBe(201);
  });

  test("allows an author for a day what only admins may delete", async () => {
    await api(bob).post(ITEMS, { serial_number: "SN" });
    const made = await latest();
    const { sql } = await service();
    await sql`update change_sets set at = now() - interval '25 hours'`;
    expect((await undoing(made)).status).toBe(403);
    await sql`update change_sets set at = now() - interval '23 hours'`;
    expect((await undoing(made)).status).toBe(201);
  });

  test("keeps a hidden host as it is, and discloses nothing about it", async () => {
    const host_id = await aHiddenHost();
    const { id } = await anItem({ quantity: 1 });
    await api(alice).patch(`${ITEMS}/${id}`, { host_id });
    // He cannot see it.
    expect((await undoLatest()).status).toBe(404);
    await api(alice).patch(`${ITEMS}/${id}`, { quantity: 1 });
    const nothing = [422, "There is nothing in this change to undo"];
    expect(sentences(await undoLatest())).toEqual(nothing);
    await api(alice).patch(`${ITEMS}/${id}`, { quantity: 2, host_id: null });
    expect((await undoLatest()).status).toBe(201);
    const { body } = await api(alice).get(`${ITEMS}/${id}`);
    expect(body).toMatchObject({ quantity: 1, host: null });
  });

  test("is done once by concurrent requests", async () => {
    const { id } = await anItem({ quantity: 1 });
    await api(bob).patch(`${ITEMS}/${id}`, { quantity: 2 });
    const set = await latest();
    const answers = await Promise.all([1, 2, 3, 4].map(() => undoing(set)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
    expect(sentences(await undoing(set))).toEqual([422, "This change has already been undone"]);
    expect(await changes()).toHaveLength(3);
  });

  test("changes nothing when it is refused or a dry run", async () => {
    const { id } = await anItem({ quantity: 1 });
    await api(bob).patch(`${ITEMS}/${id}`, { quantity: 2 });
    const set = await latest();
    const tried = await undoing(set, bob, "?dry_run=true");
    expect(tried.status).toBe(201);
    expect(tried.body.events).toMatchObject([
      { differences: [{ field: "quantity", old: "2", now: "1" }] },
    ]);
    expect((await shown(id)).quantity).toBe(2);
    await api(bob).patch(`${ITEMS}/${id}`, { quantity: 3 });
    expect((await undoing(set)).status).toBe(422);
    expect((await api(carol).get(`/changes/${set}`)).body.undone_by).toBeNull();
  });

  test("reverses changes of many rows", async () => {
    await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const { sql } = await service();
    await sql`
      insert into items (ics_id, serial_number, parent_id, location_id)
      select 'BB' || chr(65 + number / 1000) || lpad((number % 1000)::text, 3, '0'), 'SN', ${rack.id}, location_id
      from generate_series(0, 2999) number, items where items.id = ${rack.id}`;
    await api(bob).patch(`${ITEMS}/${rack.id}`, { location: "Hall B" });
    const set = await latest();
    const statements = spyOn(PgDialect.prototype, "sqlToQuery");
    const { status, body } = await undoing(set);
    const count = statements.mock.calls.length;
    statements.mockRestore();
    expect([status, body.total, body.events.length]).toEqual([201, 3_001, 500]);
    // Not row by row.
    expect(count).toBeWithin(10, 100);
    const back = await api(carol).get(`${ITEMS}?location=Hall A&per_page=1`);
    expect(back.headers.get("x-total-count")).toBe("3001");
  });
});

test("a record deleted before a column was added gets the default", async () => {
  const { sql } = await service();
  const { id } = await anItem({ ics_id: "AAA001", quantity: 2 });
  await api(alice).delete(`${ITEMS}/${id}`);
  await sql`update changes set before = before - 'quantity' where row_id = ${id} and action = 'delete'`;
  expect((await undoing(await latest())).status).toBe(201);
  expect(await shown(id)).toMatchObject({ ics_id: "AAA001", quantity: 1 });
});
