import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aCname,
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  carol,
  dave,
  service,
} from "../support/mod.ts";
import { aGroup, deleted, shown } from "../support/network.ts";
import { latest, sentences, undoing, undoLatest } from "../support/undo.ts";

describe("undoing in the network", () => {
  test("restores a deleted host with its interfaces, cnames, groups and items, under their ids", async () => {
    const network = await aNetwork();
    await anItem({ ics_id: "AAA001" });
    await Promise.all(["One", "Two"].map((name) => aGroup({ name })));
    const { id } = await aHost({
      name: "web-01",
      device_type: "Network",
      network: network.vlan_name,
      mac: "02:42:42:00:00:01",
      items: ["AAA001"],
      automation_vars: { port: 80, deep: { list: [1, "two"] } },
      automation_groups: ["One", "Two"],
    });
    await api(bob).patch("/inventory/items/AAA001", { stack_member: 3 });
    const second = await anInterface({ host: "web-01", network: network.vlan_name });
    const alias = await aCname({ interface_id: second.id, name: "www" });
    const before = await shown(`hosts/${id}?recursive=true`);
    await deleted(`hosts/${id}`);
    const { body: item } = await api(carol).get("/inventory/items/AAA001");
    expect(item).toMatchObject({ host: null, stack_member: null });
    expect((await undoLatest(dave)).status).toBe(201);
    const after = await shown(`hosts/${id}?recursive=true`);
    const { user, updated_at, items, interfaces, ...kept } = before;
    expect(after).toMatchObject(kept);
    expect(after.interfaces.map((one: any) => [one.id, one.name, one.ip, one.mac])).toEqual(
      interfaces.map((one: any) => [one.id, one.name, one.ip, one.mac]),
    );
    expect(await shown(`cnames/${alias.id}`)).toMatchObject({ name: alias.name });
    const { body: back } = await api(carol).get("/inventory/items/AAA001");
    expect(back).toMatchObject({ host: "web-01", stack_member: 3, user: "dave" });
  });

  test("restores networks, scopes, domains, device types and groups under their ids", async () => {
    const domain = await aDomain();
    const scope = await aScope({ domain_id: domain.id });
    const network = await aNetwork({ scope: scope.name });
    const { body: type } = await api(alice).post("/network/device_types", { name: "Camera" });
    const child = await aGroup({ name: "Child" });
    const group = await aGroup({ name: "Parent", children: ["Child"], vars: { port: 1 } });
    const paths = [
      `networks/${network.id}`,
      `scopes/${scope.id}`,
      `domains/${domain.id}`,
      `device_types/${type.id}`,
      `groups/${child.id}`,
      `groups/${group.id}`,
    ];
    for (const path of paths) {
      const { user, updated_at, ...before } = await shown(path);
      const set = await deleted(path);
      expect([path, (await undoing(set, alice)).status]).toEqual([path, 201]);
      expect(await shown(path), path).toMatchObject(before);
      if (!path.startsWith("groups")) await api(alice).delete(`/network/${path}`);
    }
  });

  test("restores the name of a renamed host and its main interface, and the content of objects", async () => {
    const network = await aNetwork();
    const vars = { port: 80, deep: { list: [1, { two: 2 }] } };
    const given = { name: "old", network: network.vlan_name, automation_vars: vars };
    const { id } = await aHost(given);
    await api(dave).patch(`/network/hosts/${id}`, { name: "new", automation_vars: { deep: {} } });
    const renamed = await latest();
    await api(dave).patch(`/network/hosts/${id}`, { description: "Later", name: "new" });
    expect((await undoing(renamed, dave)).status).toBe(201);
    expect(await shown(`hosts/${id}`)).toMatchObject({
      name: "old",
      interfaces: ["old"],
      automation_vars: vars,
      description: "Later",
    });
    await api(dave).patch(`/network/hosts/${id}`, { automation_vars: { port: 1 } });
    const changed = await latest();
    await api(dave).patch(`/network/hosts/${id}`, { automation_vars: { port: 2 } });
    expect(sentences(await undoing(changed, dave))).toEqual([
      422,
      expect.stringMatching(/^old has been changed since, by dave on .+ UTC: undo that first$/),
    ]);
  });

  test("deletes created records, unless something was added to them since", async () => {
    const network = await aNetwork();
    const host = { name: "web-01", device_type: "Physical", network: network.vlan_name };
    const { body } = await api(dave).post("/network/hosts", host);
    const made = await latest();
    const got = async (what: string, later: () => Promise<{ status: number }>) => {
      expect((await later()).status).toBeLessThan(300);
      const refused = [422, `web-01 has gained ${what} since`];
      expect(sentences(await undoing(made, dave))).toEqual(refused);
      expect((await undoLatest(alice)).status).toBe(201);
    };
    await aGroup({ name: "Group" });
    await anItem({ ics_id: "AAA001" });
    const { vlan_name } = network;
    const second = { name: "web-02", host: "web-01", network: vlan_name };
    await got("an interface", () => api(dave).post("/network/interfaces", second));
    const path = `/network/hosts/${body.id}`;
    await got("a group", () => api(dave).patch(path, { automation_groups: ["Group"] }));
    const on = { host_id: body.id };
    await got("an item", () => api(bob).patch("/inventory/items/AAA001", on));
    const [main] = await shown("interfaces?name=web-01");
    const alias = { name: "www", interface_id: main.id };
    await got("a cname", () => api(dave).post("/network/cnames", alias));
    expect((await undoing(made, dave)).status).toBe(201);
    for (const gone of ["hosts", "interfaces", "cnames"])
      expect(await shown(gone), gone).toEqual([]);
  });

  test("deletes a group, unless it got a host, a child or a parent", async () => {
    await aHost({ name: "web-01" });
    const other = await aGroup({ name: "Other" });
    const { body } = await api(dave).post("/network/groups", { name: "Group" });
    const made = await latest();
    const later: Array<[what: string, id: number, change: object]> = [
      ["a host", body.id, { hosts: ["web-01"] }],
      ["a group in it", body.id, { children: ["Other"] }],
      ["a group above it", other.id, { children: ["Group"] }],
    ];
    for (const [what, id, change] of later) {
      await api(dave).patch(`/network/groups/${id}`, change);
      const refused = [422, `Group has gained ${what} since`];
      expect(sentences(await undoing(made, dave)), what).toEqual(refused);
      expect((await undoLatest(dave)).status, what).toBe(201);
    }
    expect((await undoing(made, dave)).status).toBe(201);
    expect(await shown("groups")).toMatchObject([{ name: "Other" }]);
  });

  test("refuses what is in use now, by name", async () => {
    const network = await aNetwork({ vlan_name: "Office" });
    const first = await aHost({ name: "web-01", network: "Office", mac: "024242000001" });
    const [{ ip }] = await shown("interfaces?name=web-01");
    const gone = await deleted(`hosts/${first.id}`);
    const taking = async (fields: object, word: string) => {
      const { id } = await aHost({ network: "Office", ip: "10.250.0.1", ...fields });
      const refused = [422, `web-01 cannot have its old ${word} back: it is in use`];
      expect(sentences(await undoing(gone, alice))).toEqual(refused);
      await api(alice).delete(`/network/hosts/${id}`);
    };
    const free = network.last_ip;
    await taking({ name: "other", ip }, "address");
    await taking({ name: "other", ip: free, mac: "024242000001" }, "MAC address");
    await taking({ name: "web-01", ip: free }, "name");
    expect((await undoing(gone, dave)).status).toBe(201);
    const removed = await deleted(`hosts/${first.id}`);
    await api(alice).delete(`/network/networks/${network.id}`);
    expect(sentences(await undoing(removed, dave))).toEqual([
      422,
      "web-01 cannot have its old network back: it has been deleted",
    ]);
  });

  test("refuses blocks, ranges and VLANs that are in use by now", async () => {
    const scope = await aScope();
    const network = await aNetwork({ scope: scope.name, vlan_name: "Office" });
    const gone = await deleted(`networks/${network.id}`);
    const taking = async (fields: object, word: string) => {
      const { id } = await aNetwork({ scope: scope.name, ...fields });
      const refused = [422, `Office cannot have its old ${word} back: it is in use`];
      expect(sentences(await undoing(gone, alice))).toEqual(refused);
      await api(alice).delete(`/network/networks/${id}`);
    };
    const elsewhere = { address: network.address.replace(".0.0/24", ".9.0/24") };
    await taking({ address: network.address }, "address");
    await taking({ ...elsewhere, vlan_id: network.vlan_id }, "VLAN");
    await taking({ ...elsewhere, vlan_name: "OFFICE" }, "VLAN name");
    expect((await undoing(gone, alice)).status).toBe(201);
    const start = network.address.replace(".0/24", "");
    const change = (fields: object) => api(alice).patch(`/network/networks/${network.id}`, fields);
    await change({ first_ip: `${start}.100` });
    await change({ first_ip: `${start}.1` });
    const widened = await latest();
    await change({ last_ip: `${start}.50` });
    expect(sentences(await undoing(widened, alice))).toEqual([422, "Office no longer fits"]);
  });
});

describe("concurrent undoing in the network", () => {
  test("happens once, however many requests there are", async () => {
    const network = await aNetwork();
    const { id } = await aHost({ name: "web-01", network: network.vlan_name });
    const set = await deleted(`hosts/${id}`);
    const answers = await concurrently(16, () => undoing(set, dave));
    expect(counted(answers)).toEqual({ 201: 1, 422: 15 });
    expect(await shown("hosts")).toMatchObject([{ id, interfaces: ["web-01"] }]);
  });

  test("gives a name to one of several requests", async () => {
    const network = await aNetwork();
    const { vlan_name } = network;
    const other = await anInterface({ network: vlan_name });
    for (let round = 0; round < 6; round += 1) {
      const name = `wanted-${round}`;
      const { id } = await aHost({ name });
      const set = await deleted(`hosts/${id}`);
      const answers = await Promise.all([
        api(dave).post("/network/interfaces", { name, host: other.host, network: vlan_name }),
        undoing(set, dave),
      ]);
      expect(counted(answers), `round ${round}`).toEqual({ 201: 1, 422: 1 });
    }
  });

  test("never leaves an interface outside of a network that shrinks meanwhile", async () => {
    const network = await aNetwork({ vlan_name: "Office" });
    const start = network.address.replace(".0/24", "");
    const { id } = await aHost({ name: "web-01", network: "Office", ip: `${start}.200` });
    const set = await deleted(`hosts/${id}`);
    const { sql } = await service();
    // An open transaction.
    const other = await sql.reserve();
    await other`begin`;
    await other`
      update networks set address = ${`${start}.0/25`}::text::cidr, last_ip = first_ip, gateway = null`;
    const waiting = undoing(set, dave);
    await Bun.sleep(300);
    await other`commit`;
    other.release();
    const outside = `web-01: Use an address inside ${start}.0/25`;
    expect(sentences(await waiting)).toEqual([422, outside]);
  });
});
