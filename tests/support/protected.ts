// A protected host with its related records, and all requests that could change it.
import { publicId } from "../../src/input/change_ids.ts";
import { alice, api, bob, dave, idOf, type Person, service } from "./mod.ts";

export type ProtectedKind = "admin_only" | "sensitive";

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}

const VARS = { port: 22 };

export type World = Awaited<ReturnType<typeof aProtectedHost>>;

/** Who made the records of each area, and could delete them. */
interface Authors {
  network: Person;
  inventory: Person;
}

/** The host `core`. Its related records belong to dave and bob, who could delete them if it were not protected. */
export async function aProtectedHost(
  kind?: ProtectedKind,
  authors: Authors = { network: dave, inventory: bob },
) {
  const domain = await made("/network/domains", { name: "lab.example.org" });
  const range = { first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain_id: domain.id };
  await made("/network/scopes", { name: "Lab", ...range });
  const network = (number: number, fields: object) => {
    const start = `10.1.${number}`;
    const ends = { first_ip: `${start}.1`, last_ip: `${start}.200`, gateway: null };
    const given = { scope: "Lab", vlan_id: number, address: `${start}.0/24`, ...ends };
    return made("/network/networks", { ...given, ...fields });
  };
  await network(1, { vlan_name: "Open" });
  await network(2, { vlan_name: "Closed", ...(kind && { [kind]: true }) });
  const host = (name: string, fields: object) =>
    made("/network/hosts", { name, device_type: "Network", network: "Open", ...fields });
  const core = await host("core", { network: "Closed", automation_vars: { own: 1 } });
  const mine = await host("mine", {});
  const second = { network: "Open", host: "core", name: "core-2", mac: "02:42:42:00:00:01" };
  const { id: elsewhere } = await made("/network/interfaces", second);
  const [{ id: main }] = (await api(alice).get("/network/interfaces?name=core")).body;
  const [{ id: own }] = (await api(alice).get("/network/interfaces?name=mine")).body;
  const { id: cname } = await made("/network/cnames", { name: "www", interface_id: elsewhere });
  const on = { host_id: core.id, stack_member: 1 };
  const item = await made("/inventory/items", { ics_id: "AAA001", serial_number: "S1", ...on });
  await made("/inventory/items", { ics_id: "AAA002", serial_number: "S2" });
  await made("/inventory/items", { ics_id: "AAA003", serial_number: "S3", host_id: mine.id });
  const location = await made("/inventory/locations", { name: "Hall" });
  const mac = await made("/inventory/macs", { address: "02:42:42:00:00:01", item_id: item.id });
  const { body: comment } = await api(bob).post("/inventory/items/AAA001/comments", { body: "x" });
  const file = await made(`/network/hosts/${core.id}/files`, { some: "bytes" });
  const groups = await groupsOf(core);
  await belongTo(authors);
  return {
    ...{ core: core.id, mine: mine.id, main, elsewhere, own, cname, item: item.id },
    ...{ location: location.id, mac: mac.id, comment: comment.id, groups, domain: domain.id },
    file: file.id,
    sets: await setsAbout(core, authors),
  };
}

async function groupsOf(core: { name: string }) {
  const group = async (name: string, fields: object = {}) =>
    (await made("/network/groups", { name, ...fields })).id as number;
  const hosts = [core.name];
  return {
    put: await group("Put", { hosts }),
    telling: await group("Telling", { hosts, vars: { level: 1, ...VARS } }),
    apart: await group("Apart", { vars: VARS }),
    above: await group("Above", { children: ["Telling"] }),
    top: await group("Top", { children: ["Put"], vars: { level: 2 } }),
    found: await group("Found", { type: "query", query: "name:core" }),
    finding: await group("Finding", { type: "query", query: "name:core", vars: { level: 3 } }),
    all: await group("all", { vars: { everywhere: 1 } }),
    rival: await group("A-rival", { hosts, vars: { level: 9 } }),
  };
}

/** Makes them the authors of all records. */
async function belongTo(authors: Authors): Promise<void> {
  const { sql } = await service();
  const [network, inventory] = [await idOf(authors.network), await idOf(authors.inventory)];
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const table of ["hosts", "interfaces", "cnames", "groups"]) {
      await tx.unsafe(`update ${table} set created_by = ${network}`);
    }
    await tx.unsafe(`update items set created_by = ${inventory}`);
  });
}

/** Change sets of the host, which undo would change again. Their authors are set to both in turn. */
async function setsAbout(core: { id: number }, authors: Authors): Promise<string[]> {
  const { sql } = await service();
  const host = `/network/hosts/${core.id}`;
  await api(alice).patch(host, { description: "New" });
  await api(alice).patch(host, { automation_groups: ["Put", "Telling", "A-rival", "Apart"] });
  await api(alice).patch(host, { automation_groups: ["Put", "Telling", "A-rival"] });
  await api(alice).patch("/inventory/items/AAA002", { host_id: core.id });
  await api(alice).patch("/inventory/items/AAA002", { host_id: null });
  const { id } = await made("/network/groups", { name: "Gone", hosts: ["core"], vars: VARS });
  await api(alice).delete(`/network/groups/${id}`);
  const sets = await sql`select id::int from change_sets order by id desc`;
  for (const [rest, person] of [authors.network, authors.inventory].entries()) {
    await sql`update change_sets set user_id = ${await idOf(person)} where id % 2 = ${rest}`;
  }
  return sets.map((set: { id: number }) => publicId(set.id));
}

/** Everything of the host that only admins may change, from the database and the Ansible feed. */
export async function stateOf({ core }: World): Promise<string> {
  const { sql } = await service();
  const [row] = await sql`
    select (select to_jsonb(hosts) from hosts where id = ${core}) as host,
      (select jsonb_agg(to_jsonb(one) order by id) from interfaces one where host_id = ${core}) as interfaces,
      (select jsonb_agg(to_jsonb(one) order by id) from cnames one where interface_id in (
        select id from interfaces where host_id = ${core})) as cnames,
      (select jsonb_agg(jsonb_build_array(id, stack_member) order by id) from items where host_id = ${core}) as items,
      (select jsonb_agg(to_jsonb(one) order by id) from files one where host_id = ${core}) as files,
      (select jsonb_agg(group_id order by group_id) from group_hosts where host_id = ${core}) as groups`;
  const { body } = await api(alice).get(`/network/hosts/${core}/vars`);
  return JSON.stringify({ ...row, vars: body.vars }, null, 1);
}

export interface RouteRequest {
  path: string;
  body?: object | string;
  headers?: Record<string, string>;
}

const some = (path: string, ...bodies: object[]): RouteRequest[] =>
  bodies.map((body) => ({ path, body }));
const each = (ids: number[], path: string): RouteRequest[] =>
  ids.map((id) => ({ path: `${path}/${id}` }));

/** A row of each in an import of its own. */
export function rows(path: string, ...all: object[]): RouteRequest[] {
  const headers = { "content-type": "application/x-ndjson" };
  return all.map((row) => ({ path: `${path}?apply=all`, body: JSON.stringify(row), headers }));
}

/** The requests for each route. */
export const ATTEMPTS: Record<string, (world: World) => RouteRequest[]> = {
  "PATCH /network/hosts/:id": ({ core, mine }) => [
    ...some(`/network/hosts/${core}`, { description: "x" }, { name: "other" }, { items: [] }),
    ...some(`/network/hosts/${core}`, { automation_groups: [] }, { automation_vars: { a: 1 } }),
    ...some(`/network/hosts/${mine}`, { items: ["AAA001"] }),
  ],
  "POST /network/hosts/:id/files": ({ core }) =>
    some(`/network/hosts/${core}/files`, { other: "bytes" }),
  "PATCH /network/hosts/:id/files/:file": ({ core, file }) =>
    some(`/network/hosts/${core}/files/${file}`, { caption: "x" }),
  "DELETE /network/hosts/:id/files/:file": ({ core, file }) =>
    each([file], `/network/hosts/${core}/files`),
  "POST /network/hosts": () => [
    ...some("/network/hosts", { name: "n-1", device_type: "VME", items: ["AAA001"] }),
  ],
  "POST /network/interfaces": () => [
    ...some("/network/interfaces", { host: "core", network: "Open", name: "core-3" }),
    ...some("/network/interfaces", { host: "core", network: "Closed", name: "core-4" }),
  ],
  "PATCH /network/interfaces/:id": ({ main, elsewhere }) => [
    ...some(`/network/interfaces/${main}`, { description: "x" }, { network: "Open" }),
    ...some(`/network/interfaces/${elsewhere}`, { description: "x" }, { ip: "10.1.1.77" }),
    ...some(`/network/interfaces/${elsewhere}`, { mac: null }, { name: "core-9" }),
  ],
  "POST /network/cnames": ({ main, elsewhere }) => [
    ...some("/network/cnames", { name: "w1", interface_id: main }),
    ...some("/network/cnames", { name: "w2", interface_id: elsewhere }),
  ],
  "DELETE /network/cnames/:id": ({ cname }) => each([cname], "/network/cnames"),
  "DELETE /network/interfaces/:id": ({ main, elsewhere }) =>
    each([main, elsewhere], "/network/interfaces"),
  "PATCH /inventory/items/:id": ({ mine, core }) => [
    ...some("/inventory/items/AAA001", { host_id: null }, { host_id: mine }, { stack_member: 2 }),
    ...some("/inventory/items/AAA001", { stack_member: null }, { host_id: null, quantity: 7 }),
    ...some("/inventory/items/AAA001", { parent: "AAA003" }, { parent: null }, { status: null }),
    ...some("/inventory/items/AAA003", { host_id: core }, { parent: "AAA001" }),
  ],
  "POST /inventory/items": ({ core }) =>
    some("/inventory/items", { serial_number: "S9", host_id: core }),
  "POST /inventory/items/import": () =>
    rows(
      "/inventory/items/import",
      { ics_id: "AAA001", host: "mine" },
      { ics_id: "AAA001", host: null },
      { ics_id: "AAA003", host: "core" },
      { ics_id: "AAA001", stack_member: 5 },
    ),
  "POST /network/hosts/import": () =>
    rows(
      "/network/hosts/import",
      { name: "core", description: "x" },
      { name: "core", is_ioc: true },
      { name: "core", items: ["AAA002"] },
      { name: "core", automation_groups: ["Apart"] },
      { name: "core", automation_vars: { own: 2 } },
      { name: "core", cnames: "mail" },
      { name: "core", interface: "core-3", network: "Open" },
      { name: "core", interface: "core-2", mac: "02:42:42:00:00:09" },
      { name: "core", interface: "core-2", ip: "10.1.1.77" },
      { name: "mine", items: ["AAA001"] },
      { name: "fourth", device_type: "Network", items: ["AAA001"] },
      { name: "fifth", device_type: "Network", network: "Closed" },
    ),
  "PUT /network/hosts/by-name/:name": () => [
    ...some("/network/hosts/by-name/core", { description: "x" }, { items: [] }, { is_ioc: true }),
    ...some(
      "/network/hosts/by-name/core",
      { automation_groups: [] },
      { automation_vars: { a: 1 } },
    ),
    ...some("/network/hosts/by-name/mine", { items: ["AAA001"] }),
    ...some("/network/hosts/by-name/n-9", { device_type: "VME", items: ["AAA001"] }),
  ],
  "PUT /network/interfaces/by-name/:name": () => [
    ...some("/network/interfaces/by-name/core", { description: "x" }, { network: "Open" }),
    ...some("/network/interfaces/by-name/core-2", { ip: "10.1.1.77" }, { mac: null }),
    ...some("/network/interfaces/by-name/core-5", { host: "core", network: "Open" }),
    ...some("/network/interfaces/by-name/core-6", { host: "core", network: "Closed" }),
  ],
  "POST /network/interfaces/import": () =>
    rows(
      "/network/interfaces/import",
      { name: "core", description: "x" },
      { name: "core-2", mac: "" },
      { name: "core-7", host: "core", network: "Open" },
    ),
  "PUT /network/cnames/by-name/:name": () =>
    some("/network/cnames/by-name/w5.lab.example.org", { interface: "core" }),
  "POST /network/cnames/import": () =>
    rows("/network/cnames/import", { name: "w6.lab.example.org", interface: "core-2" }),
  "PUT /inventory/items/by-ics_id/:ics_id": () => [
    ...some("/inventory/items/by-ics_id/AAA001", { host: null }, { host: "mine" }, { quantity: 7 }),
    ...some("/inventory/items/by-ics_id/AAA001", { stack_member: 2 }, { parent: "AAA003" }),
    ...some("/inventory/items/by-ics_id/AAA003", { host: "core" }, { parent: "AAA001" }),
    ...some("/inventory/items/by-ics_id/AAA009", { serial_number: "S9", host: "core" }),
  ],
  "PUT /inventory/macs/by-address/:address": () =>
    some("/inventory/macs/by-address/02:42:42:00:00:01", { item: null }, { item: "AAA002" }),
  "POST /inventory/macs/import": () =>
    rows("/inventory/macs/import", { address: "02:42:42:00:00:01", item: "" }),
  "PUT /network/groups/by-name/:name": () => [
    ...some("/network/groups/by-name/Put", { hosts: [] }, { vars: { level: 5 } }),
    ...some("/network/groups/by-name/Apart", { children: ["Put"] }),
    ...some("/network/groups/by-name/all", { vars: { level: 8 } }),
    ...some("/network/groups/by-name/G9", { hosts: ["core"] }),
  ],
  "POST /network/groups/import": () =>
    rows(
      "/network/groups/import",
      { name: "Telling", vars: { level: 5 } },
      { name: "Above", children: ["Put"] },
      { name: "G10", hosts: ["core"] },
    ),
  "PATCH /inventory/macs/:id": ({ mac }) => some(`/inventory/macs/${mac}`, { item_id: null }),
  "POST /network/groups": () => [
    ...some("/network/groups", { name: "G1", hosts: ["core"] }),
    ...some("/network/groups", { name: "G2", type: "query", query: "*", vars: { level: 4 } }),
    ...some("/network/groups", { name: "G3", type: "query", query: "core", vars: { level: 4 } }),
    ...some("/network/groups", { name: "G4", children: ["Put"], vars: { level: 4 } }),
    ...some("/network/groups", { name: "G5", children: ["Above"], vars: { level: 4 } }),
    ...some("/network/groups", { name: "G6", children: ["all"], vars: { level: 4 } }),
    ...some("/network/groups", { name: "G7", children: ["Found"], vars: { level: 4 } }),
    ...some("/network/groups", { name: "ALL", vars: { level: 4 } }),
    // It is deeper than the other group now, so its variables win.
    ...some("/network/groups", { name: "G8", children: ["A-rival"] }),
  ],
  "PATCH /network/groups/:id": ({ groups }) => [
    ...some(`/network/groups/${groups.put}`, { hosts: [] }, { vars: { level: 5 } }),
    ...some(`/network/groups/${groups.put}`, { type: "query", query: "nothing" }),
    ...some(`/network/groups/${groups.telling}`, { vars: { level: 5 } }, { vars: {} }),
    ...some(`/network/groups/${groups.telling}`, { vars: { ansible_group_priority: 5, level: 1 } }),
    ...some(`/network/groups/${groups.telling}`, { name: "A-telling" }, { name: "all" }),
    ...some(`/network/groups/${groups.above}`, { vars: { level: 5 } }, { children: ["Put"] }),
    ...some(`/network/groups/${groups.apart}`, { children: ["Put"] }, { children: ["Above"] }),
    ...some(`/network/groups/${groups.apart}`, { type: "query", query: "core" }, { name: "all" }),
    ...some(`/network/groups/${groups.top}`, { children: [] }, { vars: { level: 6 } }),
    ...some(`/network/groups/${groups.found}`, { vars: { level: 7 } }),
    ...some(`/network/groups/${groups.finding}`, { query: "nothing" }, { type: "static" }),
    ...some(`/network/groups/${groups.finding}`, { vars: {} }, { vars: { level: 7 } }),
    ...some(`/network/groups/${groups.all}`, { vars: { level: 8 } }, { name: "none" }),
    ...some(`/network/groups/${groups.all}`, { type: "query", query: "mine", vars: {} }),
  ],
  "POST /changes/:id/undo": ({ sets }) =>
    sets.map((set) => ({ path: `/changes/${set}/undo`, body: {} })),
  "DELETE /network/groups/:id": ({ groups }) => each(Object.values(groups), "/network/groups"),
  "DELETE /inventory/items/:id": ({ item }) => each([item], "/inventory/items"),
  "DELETE /network/hosts/:id": ({ core }) => each([core], "/network/hosts"),
};
