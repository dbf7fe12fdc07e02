// The filters of changes that are about records as they were before and after: `query`, `scope` and `group`.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Caller, consoleCaller } from "../../src/auth/auth.ts";
import { ownerCaller } from "../../src/auth/owner.ts";
import { matchingSets } from "../../src/history/feed.ts";
import { cursorOf, publicId, readPublicId } from "../../src/input/change_ids.ts";
import { write } from "../../src/store/write.ts";
import { queries } from "../search/queries.ts";
import { makeSite } from "../search/site_made.ts";
import { allChecks } from "../support/checks.ts";
import { aHiddenHost } from "../support/hidden.ts";
import {
  aCname,
  aGroup,
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
  namesOf,
  type Person,
  service,
} from "../support/mod.ts";

setDefaultTimeout(300_000);

/** One query in this number is tested; all of them if everything is to be checked. */
const PART = allChecks ? 1 : 32;

type Change = { id: string; events: Array<{ table_name: string; action: string; name: string }> };

async function lastChange(): Promise<string> {
  const { sql } = await service();
  const [{ last }] = await sql`select coalesce(max(id), 0)::int as last from change_sets`;
  return cursorOf(last);
}

/** Each change after one in a few words: its number among them, and what is in it. */
async function found(query: string, { after = "0", by = carol as Person } = {}): Promise<string[]> {
  const { status, body, text } = await api(by).get(`/changes?after=${after}&per_page=100&${query}`);
  if (status !== 200) throw new Error(`${query}: ${text}`);
  return body.map(({ events }: Change) =>
    events.map(({ action, table_name, name }) => `${action} ${table_name} ${name}`).join(", "),
  );
}

async function callerOf({ username }: Person): Promise<Caller> {
  const { sql } = await service();
  const [{ id }] = await sql`select id from users where username = ${username}`;
  const caller = await ownerCaller(id);
  if (!caller) throw new Error(`${username} is no user`);
  return caller;
}

/** Two scopes, `Lab` and `Hall`, each with a network, `lab-net` and `hall-net`. */
async function twoScopes(): Promise<void> {
  for (const name of ["Lab", "Hall"]) {
    await aScope({ name });
    await aNetwork({ scope: name, vlan_name: `${name.toLowerCase()}-net` });
  }
}

describe("query, of hosts as they are", () => {
  beforeEach(makeSite, 60_000);

  test("finds the changes of the hosts that the list of hosts finds", async () => {
    const { sql } = await service();
    const hosts: Array<{ id: number }> = await sql`select id from hosts order by id`;
    // Twice, so that author and time are the same before and after.
    let last = "";
    for (let times = 0; times < 2; times += 1) {
      last = await lastChange();
      for (const { id } of hosts) {
        await write(consoleCaller, (tx) =>
          tx.execute(`update hosts set name = name where id = ${id}`),
        );
      }
    }
    for (const [text] of Object.values(queries)
      .flat()
      .filter((_, at) => at % PART === 0)) {
      const q = encodeURIComponent(text);
      const list = await api(carol).get(`/network/hosts?per_page=100&sort=id&q=${q}`);
      const found = await api(carol).get(`/changes?after=${last}&per_page=100&query=${q}`);
      expect([text, found.status]).toEqual([text, list.status]);
      if (list.status !== 200) continue;
      const names = found.body.map(({ events }: any) => events[0].name);
      expect([text, names]).toEqual([text, namesOf(list.body)]);
    }
  });
});

describe("query", () => {
  test("finds hosts as they were before and after, and deleted ones", async () => {
    await twoScopes();
    const after = await lastChange();
    const { id } = await aHost({ name: "mover", is_ioc: true });
    const one = await anInterface({ name: "mover", host: "mover", network: "lab-net" });
    await aCname({ name: "www", interface_id: one.id });
    await api(dave).patch(`/network/hosts/${id}`, { description: "in the lab" });
    await api(dave).patch(`/network/interfaces/${one.id}`, { network: "hall-net", ip: null });
    await api(dave).patch(`/network/hosts/${id}`, { is_ioc: false });
    await api(alice).delete(`/network/hosts/${id}`);
    const [made, joined, named, described, moved, changed, deleted] = [
      "insert hosts mover",
      "insert interfaces mover",
      expect.stringContaining("insert cnames www"),
      "update hosts mover",
      "update interfaces mover",
      "update hosts mover",
      expect.stringContaining("delete hosts mover"),
    ];
    for (const [query, expected] of [
      ["name:mover", [made, joined, named, described, moved, changed, deleted]],
      ["scope:Lab", [joined, named, described, moved]],
      ["scope:Hall", [moved, changed, deleted]],
      ["scope:Lab AND is_ioc:true", [joined, named, described, moved]],
      ["scope:Hall AND is_ioc:true", [moved, changed]],
      ["cname:www*", [named, described, moved, changed, deleted]],
      ["description:lab AND NOT scope:Lab", [moved, changed, deleted]],
      ["scope:Nowhere", []],
      ["changed:ip", [joined, moved, deleted]],
      ["changed:(ip OR mac) AND scope:Hall", [moved, deleted]],
      ["changed:scope", [joined, moved, deleted]],
      ["changed:fqdn", [made, joined, moved, deleted]],
      ["changed:description", [described, deleted]],
      ["changed:interfaces.cnames", [named, deleted]],
      ["changed:is_*", [made, changed, deleted]],
      ["changed:nothing", []],
      ["changed:ip AND NOT changed:name", [joined, moved]],
      ["movr~1 AND changed:is_ioc", [made, changed, deleted]],
    ] as const) {
      const of = `query=${encodeURIComponent(query)}`;
      expect([query, await found(of, { after })]).toEqual([query, expected as any]);
    }
    // The newest first, by the same filters.
    const { body, headers } = await api(carol).get("/changes?query=scope:Hall");
    expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(["delete", "update", "update"]);
    expect(headers.has("x-total-count")).toBe(false);
    expect(await found("scope=Lab&kind=interfaces", { after })).toEqual([joined, moved] as any);
    expect(await found("scope=lab&user=dave", { after })).toEqual([described, moved]);
    expect((await found("scope=Lab&query=is_ioc:true", { after })).length).toBe(4);
    expect(await found("scope=Nowhere", { after })).toEqual([]);
  });

  test("finds items by their contents, groups by their members, and other kinds", async () => {
    const item = await anItem({ ics_id: "AAA001", serial_number: "S1" });
    await anItem({ ics_id: "AAA002" });
    const after = await lastChange();
    await api(bob).post(`/inventory/items/${item.id}/comments`, { body: "Dented lid" });
    await api(bob).patch("/inventory/items/AAA001", { quantity: 7 });
    await api(bob).patch("/inventory/items/AAA002", { quantity: 7, parent: "AAA001" });
    const of = (kind: string, query: string) =>
      found(`kind=${kind}&query=${encodeURIComponent(query)}`, { after });
    expect(await of("items", "comment:dented")).toEqual([
      "insert comments AAA001",
      "update items AAA001",
    ]);
    expect(await of("items", "changed:comments")).toEqual(["insert comments AAA001"]);
    expect(await of("items", "changed:quantity")).toEqual([
      "update items AAA001",
      "update items AAA002",
    ]);
    expect(await of("items", "parent:AAA001")).toEqual(["update items AAA002"]);
    expect(await of("items", `id:${item.id}`)).toHaveLength(2);
    await aHost({ name: "web" });
    const { id } = await aGroup({ name: "Servers", vars: { port: 1 } });
    await api(dave).patch(`/network/groups/${id}`, { hosts: ["web"] });
    await api(dave).patch(`/network/groups/${id}`, { vars: { port: 2 } });
    expect((await of("groups", "host:web")).length).toBe(2);
    expect((await of("groups", "changed:host")).length).toBe(1);
    expect(await of("groups", "changed:vars AND vars.port:1")).toHaveLength(2);
    expect(await of("groups", "changed:vars.port AND NOT changed:name")).toHaveLength(1);
    await api(alice).post("/inventory/locations", { name: "Attic" });
    expect(await of("locations", "name:attic")).toEqual(["insert locations Attic"]);
    const { body: made } = await api(alice).post("/network/domains", { name: "new.example.org" });
    await api(alice).delete(`/network/domains/${made.id}`);
    expect(await of("domains", "name:new*")).toHaveLength(2);
  });

  test("is refused if it is not valid, or with several kinds", async () => {
    for (const [query, field] of [
      ["query=name:(", "query"],
      ["query=x&kind=hosts&kind=items", "query"],
      ["query=a&query=b", "query"],
      ["wait=10", "wait"],
      ["after=0&wait=61", "wait"],
      ["after=0&wait=-1", "wait"],
    ]) {
      const { status, body } = await api(carol).get(`/changes?${query}`);
      expect([query, status, body.errors?.[0].field]).toEqual([query, 422, field]);
    }
  });
});

describe("matchingSets", () => {
  test("finds among some change sets those that the list has with the same filters", async () => {
    await twoScopes();
    const { id } = await aHost({ name: "web", is_ioc: true });
    await anInterface({ host: "web", network: "lab-net", name: "web" });
    await aGroup({ name: "Servers", hosts: ["web"] });
    await api(dave).patch(`/network/hosts/${id}`, { description: "new" });
    const all = (await api(carol).get("/changes?after=0&per_page=100")).body as Change[];
    const ids = all.map((one) => readPublicId(one.id)!);
    const caller = await callerOf(carol);
    for (const filters of [
      { query: "scope:Lab" },
      { query: "changed:description AND NOT changed:name" },
      { scope: ["Lab"] },
      { group: ["Servers"], user: ["dave"] },
      { kind: ["networks"], query: "scope:Hall" },
      { scope: ["Hall"], query: "is_ioc:true" },
    ]) {
      const params = new URLSearchParams(
        Object.entries(filters).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, one]),
        ),
      );
      const { body } = await api(carol).get(`/changes?after=0&per_page=100&${params}`);
      const listed = body.map((one: Change) => one.id);
      const found = await matchingSets(caller, filters, ids);
      expect([filters, found.map((one) => publicId(one.id))]).toEqual([filters, listed]);
      const each = await Promise.all(ids.map((one) => matchingSets(caller, filters, [one])));
      expect([filters, each.flat().map((one) => publicId(one.id))]).toEqual([filters, listed]);
    }
  });
});

describe("group", () => {
  test("finds the group and those that are or were its members", async () => {
    const web = await aHost({ name: "web" });
    const db = await aHost({ name: "db", description: "storage" });
    const inner = await aGroup({ name: "Inner" });
    const outer = await aGroup({ name: "Outer", children: ["Inner"] });
    const stores = await aGroup({ name: "Stores", type: "query", query: "description:storage" });
    const after = await lastChange();
    const steps = [
      () => api(dave).patch(`/network/hosts/${web.id}`, { description: "not yet" }),
      () => api(dave).patch(`/network/groups/${inner.id}`, { hosts: ["web"] }),
      () => api(dave).patch(`/network/hosts/${web.id}`, { description: "member" }),
      () => api(dave).patch(`/network/groups/${inner.id}`, { hosts: [] }),
      () => api(dave).patch(`/network/hosts/${web.id}`, { description: "left" }),
      () => api(dave).patch(`/network/groups/${outer.id}`, { vars: { x: 1 } }),
      () => api(dave).patch(`/network/hosts/${db.id}`, { description: "idle" }),
      () => api(dave).patch(`/network/hosts/${db.id}`, { description: "storage again" }),
      () => api(dave).patch(`/network/groups/${stores.id}`, { name: "Storage" }),
    ];
    for (const step of steps) expect((await step()).status).toBe(200);
    const { body: all } = await api(carol).get(`/changes?after=${after}`);
    const numbers = async (query: string) => {
      const { body } = await api(carol).get(`/changes?after=${after}&${query}`);
      return body.map(({ id }: Change) => all.findIndex((one: Change) => one.id === id));
    };
    expect(await numbers("group=inner")).toEqual([1, 2, 3]);
    expect(await numbers("group=Outer")).toEqual([1, 2, 3, 5]);
    expect(await numbers("group=Stores")).toEqual([6, 7, 8]);
    expect(await numbers("group=Inner&group=Storage")).toEqual([1, 2, 3, 6, 7, 8]);
    expect(await numbers("group=Inner&query=description:member")).toEqual([2, 3]);
    expect(await numbers("group=Nobody")).toEqual([]);
    expect(await numbers("query=group:Inner")).toEqual([1, 2, 3]);
  });
});

describe("what a caller does not see", () => {
  test("is found by no query, neither as a record nor as a part of one", async () => {
    const hidden = await aHiddenHost();
    await aNetwork({ vlan_name: "open-net" });
    await anInterface({ host: "canary", network: "open-net", name: "canary-2" });
    const web = await aHost({ name: "web" });
    const secret = await anInterface({
      host: "web",
      network: "Hidden",
      ip: "10.0.0.5",
      name: "web",
    });
    await api(alice).patch(`/network/hosts/${web.id}`, { description: "described" });
    await api(alice).delete(`/network/interfaces/${secret.id}`);
    const group = await aGroup({ name: "Mixed", hosts: ["canary", "web"] });
    await api(alice).patch(`/network/groups/${group.id}`, { vars: { x: 1 } });
    const item = await anItem({ ics_id: "AAA001" });
    await api(alice).patch(`/network/hosts/${hidden}`, { items: ["AAA001"] });
    await api(bob).patch(`/inventory/items/${item.id}`, { quantity: 2 });
    const { body: nets } = await api(alice).get("/network/networks?vlan_name=open-net");
    await api(alice).patch(`/network/networks/${nets[0].id}`, { description: "busy" });
    await api(alice).delete(`/network/hosts/${hidden}`);
    for (const query of [
      "query=canary",
      "query=ip:10.0.0.5",
      "query=network:Hidden",
      "query=scope:Hidden",
      "query=changed:ip",
      "query=cana*",
      "query=canari~",
      "kind=items&query=host:canary",
      "kind=groups&query=host:canary",
      "kind=groups&query=canary",
      "kind=networks&query=Hidden",
      "kind=networks&query=interface:canary-2",
      "kind=interfaces&query=ip:10.0.0.5",
      "scope=Hidden",
      "group=Mixed&query=canary",
    ]) {
      expect([query, await found(query)]).toEqual([query, []]);
    }
    for (const query of [
      "query=canary",
      "query=ip:10.0.0.5",
      "query=canari~",
      "kind=items&query=host:canary",
      "kind=groups&query=host:canary",
      "kind=networks&query=interface:canary-2",
      "kind=interfaces&query=ip:10.0.0.5",
    ]) {
      const seen = await found(query, { by: alice });
      expect([query, seen.length > 0]).toEqual([query, true]);
    }
  });
});
