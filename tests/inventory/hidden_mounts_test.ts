import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHost, alice, aNetwork, anItem, api, bob, type Person } from "../support/mod.ts";
import { latest } from "../support/undo.ts";

const ITEM = "/inventory/items/AAA001";

async function aHiddenHost(fields: object = {}) {
  const { vlan_name } = await aNetwork({ sensitive: true });
  return aHost({ name: "canary", device_type: "Network", network: vlan_name, ...fields });
}

async function read(person: Person, path = ITEM) {
  const { headers, body } = await api(person).get(path);
  return { tag: headers.get("etag") ?? "", user: body.user, text: JSON.stringify(body) };
}

describe("an item that is mounted on a hidden host", () => {
  test("looks unchanged to those who may not see the host, and changed to others", async () => {
    const { id } = await aHiddenHost();
    await api(bob).post("/inventory/items", { ics_id: "AAA001", serial_number: "S1" });
    const his = await read(bob);
    const hers = await read(alice);
    const before = await latest();
    for (const place of [{ host_id: id }, { stack_member: 3 }, { host_id: null }]) {
      await api(alice).patch(ITEM, place);
      expect(await read(bob), JSON.stringify(place)).toEqual(his);
      expect((await read(alice)).tag, JSON.stringify(place)).not.toBe(hers.tag);
      expect((await api(bob).get(`/changes/${await latest()}`)).status, JSON.stringify(place)).toBe(
        404,
      );
    }
    expect(await latest()).not.toBe(before);
    const stale = await api(alice).patch(
      ITEM,
      { quantity: 2 },
      { headers: { "if-match": hers.tag } },
    );
    expect(stale.status).toBe(412);
    const put = await api(bob).patch(ITEM, { quantity: 2 }, { headers: { "if-match": his.tag } });
    expect(put.status).toBe(200);
    const { text } = await (await browser(bob)).get("/changes/items/AAA001");
    expect(text).not.toContain("alice");
  });

  test("stays mounted when a user who does not see the host unmounts it", async () => {
    const { id } = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id: id, stack_member: 3 });
    for (const place of [{ host_id: null }, { stack_member: null, quantity: 4 }]) {
      const { status, body } = await api(bob).patch(ITEM, place);
      expect([status, body.host, body.stack_member], JSON.stringify(place)).toEqual([
        200,
        null,
        null,
      ]);
    }
    expect((await api(alice).get(ITEM)).body).toMatchObject({
      ...{ host: "canary", stack_member: 3, quantity: 4 },
    });
  });

  test("is no longer mounted when others undo its deletion", async () => {
    const { id } = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id: id });
    await api(alice).delete(`/inventory/items/${(await api(alice).get(ITEM)).body.id}`);
    expect((await api(bob).post(`/changes/${await latest()}/undo`, {})).status).toBe(201);
    expect((await api(alice).get(ITEM)).body.host).toBe(null);
  });

  test("looks changed to everybody when it leaves a visible host, or other fields change", async () => {
    const { id } = await aHiddenHost();
    const open = await aHost({ name: "web-01" });
    await anItem({ ics_id: "AAA001", host_id: open.id });
    for (const fields of [{ host_id: id }, { host_id: null, quantity: 7 }]) {
      const { tag } = await read(bob);
      await api(alice).patch(ITEM, fields);
      expect((await read(bob)).tag.split(".")[0], JSON.stringify(fields)).not.toBe(
        tag.split(".")[0],
      );
    }
  });
});

describe("a group to which a hidden host is added", () => {
  test("looks unchanged to those who may not see the host, and changed to others", async () => {
    await aHiddenHost();
    await aHost({ name: "web-01" });
    const { body: group } = await api(alice).post("/network/groups", { name: "Group" });
    const path = `/network/groups/${group.id}`;
    const [his, hers] = [await read(bob, path), await read(alice, path)];
    await api(alice).patch(path, { hosts: ["canary"] });
    expect(await read(bob, path)).toEqual(his);
    expect((await read(alice, path)).tag).not.toBe(hers.tag);
    expect((await api(bob).get(`/changes/${await latest()}`)).status).toBe(404);
    for (const fields of [{ hosts: [], vars: { a: 1 } }, { hosts: ["canary", "web-01"] }]) {
      const { tag } = await read(bob, path);
      await api(alice).patch(path, fields);
      expect((await read(bob, path)).tag.split(".")[0], JSON.stringify(fields)).not.toBe(
        tag.split(".")[0],
      );
    }
    const stale = { headers: { "if-match": hers.tag } };
    expect((await api(alice).patch(path, { vars: {} }, stale)).status).toBe(412);
  });
});
