import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import {
  aCname,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  audrey,
  bob,
  carol,
  dave,
  type Person,
  service,
} from "../support/mod.ts";
import { aGroup, deleted, shown } from "../support/network.ts";
import { latest, sentences, undoing, undoLatest } from "../support/undo.ts";

async function offers(id: string, person: Person): Promise<boolean> {
  const { text } = await (await browser(person)).get(`/changes/${id}`);
  return elements(text, "header.head button").length === 1;
}

/** Who gets the undo button for a change, and who may undo it, by a dry run. */
async function whoMay(id: string): Promise<string[]> {
  const able: string[] = [];
  for (const person of [alice, audrey, bob, carol, dave]) {
    const { status } = await undoing(id, person, "?dry_run=true");
    expect([person.username, status]).toEqual([
      person.username,
      (await offers(id, person)) ? 201 : 403,
    ]);
    if (status === 201) able.push(person.username);
  }
  return able;
}

describe("undoing in the network", () => {
  test("is allowed for those who may make the reverse change, table by table", async () => {
    const network = await aNetwork();
    await api(alice).patch(`/network/networks/${network.id}`, { description: "New" });
    expect(await whoMay(await latest())).toEqual(["alice"]);
    const host = await aHost({ network: network.vlan_name });
    await api(alice).patch(`/network/hosts/${host.id}`, { description: "New" });
    expect(await whoMay(await latest())).toEqual(["alice", "dave"]);
    await anItem({ ics_id: "AAA001", quantity: 1 });
    await api(alice).patch("/inventory/items/AAA001", { quantity: 2 });
    expect(await whoMay(await latest())).toEqual(["alice", "bob"]);
    await api(alice).patch("/inventory/items/AAA001", { host_id: host.id });
    expect(await whoMay(await latest())).toEqual(["alice", "bob", "dave"]);
    await api(alice).delete(`/network/hosts/${host.id}`);
    expect(await whoMay(await latest())).toEqual(["alice", "dave"]);
  });

  test("deletes only records of the caller's own, at any time", async () => {
    const { sql } = await service();
    await aHost();
    expect(await whoMay(await latest())).toEqual(["alice"]);
    await api(dave).post("/network/hosts", { name: "own", device_type: "Physical" });
    const own = await latest();
    await sql`update change_sets set at = now() - interval '25 hours'`;
    expect(await whoMay(own)).toEqual(["alice", "dave"]);
    const host = await aHost({ name: "theirs" });
    await api(dave).post("/network/groups", { name: "Group" });
    await api(alice).patch(`/network/hosts/${host.id}`, { automation_groups: ["Group"] });
    expect(await whoMay(await latest())).toEqual(["alice", "dave"]);
  });

  test("is allowed for admins only in an admin-only network", async () => {
    const network = await aNetwork({ vlan_name: "Guarded", admin_only: true });
    const open = await aNetwork();
    const { id } = await aHost({ name: "web-01", network: "Guarded" });
    const host = { host: "web-01", network: open.vlan_name };
    const elsewhere = await anInterface(host);
    await api(alice).post("/network/groups", { name: "Group" });
    const [main] = (await api(alice).get("/network/interfaces?name=web-01")).body;
    const done: Array<() => Promise<unknown>> = [
      () => api(alice).patch(`/network/hosts/${id}`, { description: "New" }),
      () => api(alice).patch(`/network/hosts/${id}`, { automation_groups: ["Group"] }),
      () => api(alice).patch(`/network/interfaces/${main.id}`, { description: "New" }),
      () => api(alice).post("/network/cnames", { name: "www", interface_id: main.id }),
      () => api(alice).patch(`/network/interfaces/${elsewhere.id}`, { network: "Guarded" }),
      () => api(alice).delete(`/network/interfaces/${elsewhere.id}`),
      () => api(alice).delete(`/network/hosts/${id}`),
    ];
    for (const work of done) {
      await work();
      expect(await whoMay(await latest()), String(work)).toEqual(["alice"]);
    }
    expect((await undoLatest(dave)).body.detail).toBe(
      `Only admins may change hosts in the network Guarded`,
    );
    await api(alice).patch(`/network/networks/${network.id}`, { admin_only: false });
  });
});

describe("a hidden record", () => {
  test("stays as it is, and its change is shown to nobody else", async () => {
    await aNetwork({ vlan_name: "Vault", sensitive: true });
    await aHost({ name: "canary", network: "Vault" });
    await aHost({ name: "web-01" });
    const hosts = ["canary", "web-01"];
    const { body: group } = await api(alice).post("/network/groups", { name: "Group", hosts });
    await api(alice).patch(`/network/groups/${group.id}`, { hosts: ["web-01"] });
    const secret = await latest();
    expect((await undoing(secret, dave)).status).toBe(404);
    await undoing(secret, alice);
    await api(alice).patch(`/network/groups/${group.id}`, { hosts: [] });
    const emptied = await latest();
    const undone = await undoing(emptied, dave);
    expect(undone.status).toBe(201);
    expect(undone.text).not.toContain("canary");
    expect((await api(alice).get(`/network/groups/${group.id}`)).body.hosts).toEqual(["web-01"]);
    const host = await aHost({ name: "canary-2", network: "Vault" });
    const made = await latest();
    expect((await undoing(made, dave)).status).toBe(404);
    await api(alice).delete(`/network/hosts/${host.id}`);
    expect((await undoLatest(dave)).status).toBe(404);
  });

  test("keeps a group from being deleted or getting a query, with a message that discloses nothing", async () => {
    await aNetwork({ vlan_name: "Vault", sensitive: true });
    await aHost({ name: "canary", network: "Vault" });
    const given = { name: "Group", type: "query", query: "web" };
    const { body: group } = await api(dave).post("/network/groups", given);
    const path = `/network/groups/${group.id}`;
    await api(dave).patch(path, { type: "static" });
    const listed = await latest();
    await api(alice).patch(path, { hosts: ["canary"] });
    const refused = [422, "Only admins may make this change to the group 'Group'"];
    expect(sentences(await undoing(listed, dave))).toEqual(refused);
    expect(sentences(await api(dave).delete(path))).toEqual(refused);
    expect(sentences(await api(dave).patch(path, { type: "query", query: "web" }))).toEqual(
      refused,
    );
    expect((await api(alice).get(path)).body).toMatchObject({ type: "static", hosts: ["canary"] });
    const { body: other } = await api(dave).post("/network/groups", { name: "Other" });
    const made = await latest();
    await api(alice).patch(`/network/groups/${other.id}`, { hosts: ["canary"] });
    expect((await undoing(made, dave)).status).toBe(422);
  });

  test("is restored with a group whose deletion is undone", async () => {
    await aNetwork({ vlan_name: "Vault", sensitive: true });
    await aHost({ name: "canary", network: "Vault" });
    await aHost({ name: "canary-2", network: "Vault" });
    await aHost({ name: "web-01" });
    const members = { hosts: ["canary", "canary-2", "web-01"] };
    const [plain, telling] = [
      await aGroup({ name: "Plain", ...members }),
      await aGroup({ name: "Telling", ...members, vars: { port: 22 } }),
    ];
    const set = await deleted(`groups/${plain.id}`);
    const [gone] = (await api(alice).get("/network/hosts?name=canary-2")).body;
    await deleted(`hosts/${gone.id}`);
    const undone = await undoing(set, dave);
    expect(undone.status).toBe(201);
    expect(undone.text).not.toContain("canary");
    expect((await shown(`groups/${plain.id}`)).hosts).toEqual(["canary", "web-01"]);
    // Its variables would reach the hidden host again.
    const other = await deleted(`groups/${telling.id}`);
    expect((await undoing(other, dave)).status).toBe(422);
    expect((await undoing(other, alice)).status).toBe(201);
  });

  test("includes the history of a host from before it was visible", async () => {
    const vault = await aNetwork({ sensitive: true });
    const open = await aNetwork();
    const host = await aHost({ name: "web-01", network: open.vlan_name });
    const inVault = { host: "web-01", network: vault.vlan_name };
    const second = await anInterface({ ...inVault, name: "canary", ip: vault.last_ip });
    const sets = [await latest()];
    const { id } = await aCname({ name: "canary-www", interface_id: second.id });
    for (const path of [`cnames/${id}`, `interfaces/${second.id}`]) sets.push(await deleted(path));
    const [main] = (await api(alice).get("/network/interfaces?name=web-01")).body;
    const to = (network: string) => api(alice).patch(`/network/interfaces/${main.id}`, { network });
    const { ip } = (await to(vault.vlan_name)).body;
    sets.push(await latest());
    await to(open.vlan_name);
    sets.push(await latest());
    expect((await api(carol).get(`/network/hosts/${host.id}`)).status).toBe(200);
    const { text } = await (await browser(dave)).get(`/changes/hosts/${host.id}`);
    expect(text).toContain("web-01");
    for (const secret of ["canary", ip]) expect(text).not.toContain(secret);
    for (const set of sets) {
      expect((await api(carol).get(`/changes/${set}`)).status).toBe(404);
      expect((await undoing(set, dave)).status).toBe(404);
      expect((await api(alice).get(`/changes/${set}`)).status).toBe(200);
    }
  });
});
