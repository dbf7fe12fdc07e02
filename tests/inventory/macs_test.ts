import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { alice, anItem, api, bob, carol, fieldsOf } from "../support/mod.ts";

const MACS = "/inventory/macs";

describe("MAC addresses", () => {
  test.each([
    "02:42:AC:11:00:02",
    "02-42-ac-11-00-02",
    "0242.ac11.0002",
    "0242ac110002",
    "0242AC-110002",
  ])("are accepted and found as %s", async (address) => {
    const { status, body } = await api(bob).post(MACS, { address });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body.id, address: "02:42:ac:11:00:02", item: null });
    const found = await api(carol).get(`${MACS}?address=${address}`);
    expect(found.body).toEqual([body]);
  });

  test.each(["02:42:ac:11:00", "02:42:ac:11:00:0g", "02:42:ac:11:00:02:03", "", "localhost", 5])(
    "are refused as %p",
    async (address) => {
      const { status, body } = await api(bob).post(MACS, { address });
      expect(status).toBe(422);
      expect(fieldsOf(body)).toEqual(["address"]);
    },
  );

  test("are unique, also with concurrent requests", async () => {
    const answers = await concurrently(16, () => api(bob).post(MACS, { address: "024242000001" }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(15);
  });

  test("belong to an existing item, and are listed by address", async () => {
    const item = await anItem({ ics_id: "AAA001" });
    const { body } = await api(bob).post(MACS, { address: "024242000002", item_id: item.id });
    expect(body.item).toBe("AAA001");
    await api(bob).post(MACS, { address: "024242000001" });
    expect((await api(carol).get(`/inventory/items/${item.id}`)).body.macs).toEqual([
      "02:42:42:00:00:02",
    ]);
    const listed = await api(carol).get(MACS);
    expect(listed.body.map((one: { address: string }) => one.address)).toEqual([
      "02:42:42:00:00:01",
      "02:42:42:00:00:02",
    ]);
    expect((await api(carol).get(`${MACS}?item=aaa001`)).body).toHaveLength(1);
    const unknown = await api(bob).post(MACS, { address: "024242000003", item_id: 999 });
    expect(unknown.status).toBe(422);
    expect(fieldsOf(unknown.body)).toEqual(["item_id"]);
    expect((await api(bob).patch(`${MACS}/${body.id}`, { item_id: null })).body.item).toBeNull();
    expect((await api(bob).delete(`${MACS}/${body.id}`)).status).toBe(403);
    expect((await api(alice).delete(`${MACS}/${body.id}`)).status).toBe(204);
    expect((await api(carol).post(MACS, { address: "024242000009" })).status).toBe(403);
  });
});
