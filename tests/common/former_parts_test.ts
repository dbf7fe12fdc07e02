// What records had to do with others, and their former names, apart from the history.
import { describe, expect, test } from "bun:test";
import { aHost, alice, aNetwork, anInterface, anItem, api, service } from "../support/mod.ts";

async function stored() {
  const { sql } = await service();
  const parts = await sql`
    select table_name, key, owner_id, row_id from former_parts order by table_name, key, owner_id, row_id`;
  const names =
    await sql`select name, table_name, row_id, change_id::integer from former_names order by name, row_id`;
  return { parts: [...parts], names: [...names] };
}

describe("what records had to do with others", () => {
  test("is written when it ends", async () => {
    const first = await aNetwork({ vlan_name: "First" });
    await aNetwork({ vlan_name: "Second", scope: first.scope });
    const host = await aHost({ name: "web-01", network: "First" });
    const other = await anInterface({ host: "web-01", network: "First", name: "web-01-b" });
    await anItem({ ics_id: "AAA001" });
    const { body: comment } = await api(alice).post("/inventory/items/AAA001/comments", {
      body: "Fan is loud",
    });
    expect(await stored()).toEqual({ parts: [], names: [] });

    await api(alice).patch(`/network/interfaces/${other.id}`, { network: "Second" });
    await api(alice).patch(`/network/networks/${first.id}`, { vlan_name: "Third" });
    await api(alice).patch(`/network/networks/${first.id}`, { description: "Renames nothing" });
    await api(alice).delete(`/network/interfaces/${other.id}`);
    await api(alice).delete(`/inventory/items/comments/${comment.id}`);

    const written = await stored();
    expect(written.names.map(({ name }) => name)).toEqual(["first", "web-01-b"]);
    const parts = written.parts.map(({ table_name, key, row_id }) => [table_name, key, row_id]);
    expect(parts).toEqual([
      ["comments", "item_id", comment.id],
      ["interfaces", "host_id", other.id],
      ["interfaces", "network_id", other.id],
      ["interfaces", "network_id", other.id],
    ]);
    expect(written.parts[1]?.owner_id).toBe(host.id);
  });
});
