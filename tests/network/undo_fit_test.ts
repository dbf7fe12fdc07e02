import { describe, expect, test } from "bun:test";
import {
  aCname,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  dave,
} from "../support/mod.ts";
import { aGroup, deleted, shown } from "../support/network.ts";
import { latest, sentences, undoing, undoLatest } from "../support/undo.ts";

describe("undo checks the restored record:", () => {
  test("an interface against its network, a network against its scope", async () => {
    const scope = await aScope({ name: "Lab", supernet: "10.9.0.0/16" });
    const network = await aNetwork({
      scope: "Lab",
      vlan_name: "Office",
      vlan_id: 9,
      address: "10.9.0.0/24",
    });
    const { id } = await aHost({ name: "web-01", network: "Office", ip: "10.9.0.200" });
    const host = await deleted(`hosts/${id}`);
    const block = { address: "10.9.0.0/25", last_ip: "10.9.0.9", gateway: null };
    expect((await api(alice).patch(`/network/networks/${network.id}`, block)).status).toBe(200);
    const shrunk = await latest();
    const outside = "web-01: Use an address inside 10.9.0.0/25";
    expect(sentences(await undoing(host, dave))).toEqual([422, outside]);
    expect((await undoing(shrunk, alice)).status).toBe(201);
    const gone = await deleted(`networks/${network.id}`);
    const lab = (fields: object) => api(alice).patch(`/network/scopes/${scope.id}`, fields);
    const said = expect.stringMatching(/^Office: Use a (VLAN of the scope|block inside) .*Lab/);
    for (const fields of [{ supernet: "10.9.128.0/17" }, { first_vlan: 10 }, { last_vlan: 8 }]) {
      expect((await lab(fields)).status, JSON.stringify(fields)).toBe(200);
      expect(sentences(await undoing(gone, alice)), JSON.stringify(fields)).toEqual([422, said]);
      expect((await undoLatest(alice)).status, JSON.stringify(fields)).toBe(201);
    }
    expect((await undoing(gone, alice)).status).toBe(201);
  });

  test("a network and a scope against what was added to them since", async () => {
    const scope = await aScope({ name: "Lab", supernet: "10.9.0.0/17" });
    const place = { scope: "Lab", vlan_name: "Office", vlan_id: 9 };
    const network = await aNetwork({ ...place, address: "10.9.0.0/24" });
    await api(alice).patch(`/network/networks/${network.id}`, { address: "10.9.0.0/23" });
    const widened = await latest();
    await aHost({ name: "web-01", network: "Office", ip: "10.9.1.7" });
    expect(sentences(await undoing(widened, alice))).toEqual([
      422,
      "Office: The interface web-01 at 10.9.1.7 would be outside",
    ]);
    await api(alice).patch(`/network/scopes/${scope.id}`, { supernet: "10.9.0.0/16" });
    const larger = await latest();
    await aNetwork({ scope: "Lab", vlan_name: "Late", vlan_id: 10, address: "10.9.200.0/24" });
    expect(sentences(await undoing(larger, alice))).toEqual([
      422,
      "Lab: The network Late (VLAN 10, 10.9.200.0/24) would be outside",
    ]);
  });

  test("a name against all others of its domain", async () => {
    const network = await aNetwork({ vlan_name: "Office" });
    const { id } = await aHost({ name: "web-01", network: "Office" });
    const other = await aHost({ name: "web-02", network: "Office" });
    await api(dave).patch(`/network/hosts/${id}`, { name: "web-09" });
    const renamed = await latest();
    const late = { host: "web-02", network: "Office", name: "web-01" };
    const { body: second } = await api(dave).post("/network/interfaces", late);
    expect(sentences(await undoing(renamed, dave))).toEqual([
      422,
      "web-09 cannot have its old name back: it is in use",
    ]);
    await api(alice).patch(`/network/interfaces/${second.id}`, { name: "web-03" });
    const bare = await aHost({ name: "bare" });
    const gone = await deleted(`hosts/${bare.id}`);
    await api(alice).patch(`/network/interfaces/${second.id}`, { name: "bare" });
    expect(sentences(await undoing(gone, dave))).toEqual([422, "bare: This name is not available"]);
    const [main] = await shown("interfaces?name=web-02");
    const full = `web-01.${network.domain}`;
    await aCname({ interface_id: main.id, name: "web-01" });
    expect(sentences(await undoing(renamed, dave))).toEqual([
      422,
      `${full}: This name is not available`,
    ]);
    const [alias] = await shown(`cnames?name=${full}`);
    const removed = await deleted(`cnames/${alias.id}`);
    await api(dave).patch(`/network/hosts/${other.id}`, { name: "web-01" });
    expect(sentences(await undoing(removed, dave))).toEqual([
      422,
      `${full}: This name is not available`,
    ]);
  });

  test("a name against the domain that its network returns to", async () => {
    const [one, two] = [await aNetwork(), await aNetwork()];
    await aHost({ name: "web-01", network: one.vlan_name });
    await api(alice).patch(`/network/networks/${one.id}`, { domain: two.domain });
    const moved = await latest();
    const { id } = await anInterface({ network: two.vlan_name });
    await aCname({ interface_id: id, name: `web-01.${one.domain}` });
    expect(sentences(await undoing(moved, alice))).toEqual([
      422,
      `web-01.${one.domain}: The name web-01.${one.domain} is taken there`,
    ]);
  });

  test("a group against circles, and hosts against a group that still lists its own", async () => {
    const [one, two] = [await aGroup({ name: "One" }), await aGroup({ name: "Two" })];
    const change = (id: number, fields: object) => api(dave).patch(`/network/groups/${id}`, fields);
    await change(one.id, { children: ["Two"] });
    await change(one.id, { children: [] });
    const parted = await latest();
    await change(two.id, { children: ["One"] });
    const [status, sentence] = sentences(await undoing(parted, dave));
    expect([status, sentence]).toEqual([422, "One: 'Two' contains this group already"]);
    const host = await aHost({ name: "web-01" });
    await change(one.id, { hosts: ["web-01"] });
    await change(one.id, { hosts: [] });
    const out = await latest();
    await change(one.id, { type: "query", query: "web" });
    expect(sentences(await undoing(out, dave))).toEqual([
      422,
      "One: The hosts of this group are found by its query",
    ]);
    await change(one.id, { type: "static" });
    const listed = await latest();
    await change(one.id, { hosts: [host.name] });
    expect(sentences(await undoing(listed, dave))).toEqual([
      422,
      "One: The hosts of this group are found by its query",
    ]);
    expect(sentences(await undoing(out, dave))).toEqual([
      422,
      "A host of One has been added again since",
    ]);
  });

  test("an item against the stack of its network device", async () => {
    const { id } = await aHost({ name: "switch", device_type: "Network" });
    await anItem({ ics_id: "AAA001", host_id: id, stack_member: 2 });
    await api(bob).patch("/inventory/items/AAA001", { host_id: null });
    const taken = await latest();
    await api(dave).patch(`/network/hosts/${id}`, { device_type: "Physical" });
    expect(sentences(await undoing(taken, bob))).toEqual([
      422,
      "AAA001: Only a host of the device type Network has stack members",
    ]);
    await api(dave).patch(`/network/hosts/${id}`, { device_type: "Network" });
    await anItem({ ics_id: "AAA002", host_id: id, stack_member: 2 });
    expect(sentences(await undoing(taken, bob))).toEqual([
      422,
      "AAA001 cannot have its old stack member back: it is in use",
    ]);
  });
});
