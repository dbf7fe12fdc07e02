// A site with hidden records that contain a canary word, and a function that removes them without a trace. The
// responses to a user without access must not differ by a byte.
import type { SQL } from "bun";
import { publicId } from "../../src/input/change_ids.ts";
import { alice, api, bob, dave } from "./mod.ts";
import { service } from "./service.ts";

export const CANARY = "canary";

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}

/** A site with hidden records of every kind. */
export async function aSiteWithSecrets(): Promise<void> {
  await beginAtOne();
  const domain = await made("/network/domains", { name: "lab.example.org" });
  const range = { first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain_id: domain.id };
  await made("/network/scopes", { name: "Lab", ...range });
  const network = (number: number, fields: object) => {
    const start = `10.1.${number}`;
    const ends = { first_ip: `${start}.1`, last_ip: `${start}.200`, gateway: `${start}.254` };
    const given = { scope: "Lab", vlan_id: number, address: `${start}.0/24`, ...ends };
    return made("/network/networks", { ...given, ...fields });
  };
  await network(1, { vlan_name: "Open" });
  await network(2, { vlan_name: `${CANARY}-net`, sensitive: true, description: CANARY });
  await network(3, { vlan_name: "Guarded", admin_only: true });
  await made("/inventory/items", { ics_id: "AAA001", serial_number: "S1" });
  // Their last author is another user than the author of the hidden changes.
  await api(bob).post("/inventory/items", { ics_id: "AAA003", serial_number: "S3" });
  await api(bob).post("/inventory/items", { ics_id: "AAA004", serial_number: "S4" });
  await api(dave).post("/network/groups", { name: "Kept" });
  const child = await made("/network/groups", { name: "Child", vars: { port: 1 } });
  await made("/network/groups", { name: "Parent", children: [child.name] });
  const host = (name: string, fields: object) =>
    made("/network/hosts", { name, device_type: "Network", ...fields });
  const { id } = await host("web-01", {
    ...{ network: "Open", items: ["AAA001"], automation_groups: ["Child"] },
  });
  await addFile(`/network/hosts/${id}`, "open");
  await addSecrets(host);
  await host("web-02", {
    network: "Open",
    mac: "02:42:42:00:00:09",
    automation_groups: ["Parent"],
  });
  const [main] = (await api(alice).get("/network/interfaces?name=web-02")).body;
  await made("/network/cnames", { name: "www", interface_id: main.id });
}

/** Resets the sequences, so that the requested ids are those of these records. */
async function beginAtOne(): Promise<void> {
  const { sql } = await service();
  for (const table of [
    "domains",
    "scopes",
    "networks",
    "hosts",
    "interfaces",
    "cnames",
    "groups",
    "files",
  ]) {
    await sql.unsafe(`alter table ${table} alter column id restart`);
  }
}

async function addSecrets(host: (name: string, fields: object) => Promise<any>): Promise<void> {
  const hidden = await host(`${CANARY}-01`, {
    network: `${CANARY}-net`,
    mac: "ca:fe:ca:fe:ca:fe",
    description: CANARY,
    automation_groups: ["Child", "Parent"],
    automation_vars: { [CANARY]: CANARY },
  });
  await addFile(`/network/hosts/${hidden.id}`, CANARY);
  await addFile("/network/networks/2", CANARY);
  // The same bytes as a file that everybody sees.
  await addFile("/network/networks/2", "open");
  // In a network that everybody sees, too.
  const second = { host: hidden.name, network: "Open", name: `${CANARY}-02`, ip: "10.1.1.2" };
  const { id } = await made("/network/interfaces", { ...second, description: CANARY });
  await made("/network/cnames", { name: `${CANARY}-www`, interface_id: id });
  const on = { serial_number: "S2", ics_id: "AAA002", host_id: hidden.id, stack_member: 1 };
  await made("/inventory/items", on);
  await mountAndTakeOff(hidden);
  const gone = await host(`${CANARY}-gone`, { network: `${CANARY}-net` });
  await api(alice).delete(`/network/hosts/${gone.id}`);
}

async function addFile(path: string, word: string): Promise<void> {
  const { status, body } = await api(alice).post(`${path}/files`, Buffer.from(word), {
    headers: { "content-disposition": `attachment; filename="${word}.txt"` },
  });
  if (status !== 201) throw new Error(`The file ${word} was not added`);
  await api(alice).patch(`${path}/files/${body.id}`, { caption: word });
}

/** Mounts items on the hidden host and takes them off, from both sides; adds it to groups and removes it. */
async function mountAndTakeOff(hidden: { id: number }): Promise<void> {
  const change = async (path: string, body: object) => {
    const answer = await api(alice).patch(path, body);
    if (answer.status !== 200) throw new Error(`${path} was not changed: ${answer.text}`);
  };
  const host = `/network/hosts/${hidden.id}`;
  await change("/inventory/items/AAA003", { host_id: hidden.id });
  await change("/inventory/items/AAA003", { stack_member: 4 });
  await change(host, { items: ["AAA002", "AAA003", "AAA004"] });
  await change("/inventory/items/AAA004", { host_id: null });
  const [group] = (await api(alice).get("/network/groups?name=Kept")).body;
  await change(`/network/groups/${group.id}`, { hosts: [`${CANARY}-01`] });
  await change(`/network/groups/${group.id}`, { name: "Kept", hosts: [] });
  await change(host, { automation_groups: ["Child", "Parent", "Kept"] });
  // A hidden host with an item on it goes, and its deletion is undone.
  const other = await api(alice).post("/network/hosts", {
    ...{ name: `${CANARY}-03`, device_type: "VME", network: `${CANARY}-net`, items: ["AAA004"] },
  });
  await api(alice).delete(`/network/hosts/${other.body.id}`);
  const { sql } = await service();
  const [deletion] = await sql`select max(id)::int as id from change_sets`;
  const { status } = await api(alice).post(`/changes/${publicId(deletion.id)}/undo`, {});
  if (status !== 201) throw new Error("The deletion was not undone");
}

/** A sensitive network that somebody sees, with a host of its own and one that is in a hidden network, too. */
export async function addVault(): Promise<number> {
  const block = { address: "10.1.4.0/24", first_ip: "10.1.4.1", last_ip: "10.1.4.200" };
  const named = { scope: "Lab", vlan_id: 4, vlan_name: "Vault", gateway: null };
  const vault = await made("/network/networks", { ...named, ...block, sensitive: true });
  const item = await made("/inventory/items", { ics_id: "AAA005", serial_number: "S5" });
  const { interfaces } = await made("/network/hosts", {
    ...{ name: "vault-01", device_type: "Network", network: "Vault", items: [item.ics_id] },
    automation_groups: ["Child"],
  });
  await made("/network/cnames", { name: "vault-www", interface_id: interfaces[0].id });
  await made("/network/hosts", { name: `${CANARY}-04`, device_type: "VME", network: "Vault" });
  await made("/network/interfaces", {
    ...{ host: `${CANARY}-04`, network: `${CANARY}-net`, name: `${CANARY}-05` },
  });
  return vault.id;
}

/** Removes all hidden records and their history, but not those of the vault; their ids stay used. */
export async function forgetSecrets(): Promise<void> {
  const { sql } = await service();
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temp table hidden_networks on commit drop as
      select id from networks where sensitive and vlan_name <> 'Vault'`;
    await tx`create temp table hidden_interfaces on commit drop as
      select distinct row_id as id, coalesce(after, before) ->> 'host_id' as host_id from changes
      where table_name = 'interfaces' and (coalesce(after, before) ->> 'host_id') in (
        select coalesce(after, before) ->> 'host_id' from changes
        where table_name = 'interfaces'
          and (coalesce(after, before) ->> 'network_id')::int in (select id from hidden_networks))`;
    await tx`create temp table hidden_hosts on commit drop as
      select distinct host_id::int as id from hidden_interfaces`;
    await forgetChanges(tx);
    await restamp(tx, "items");
    await restamp(tx, "groups");
    for (const table of ["full_names", "host_variables"]) {
      await tx.unsafe(`delete from ${table} where host_id in (select id from hidden_hosts)`);
    }
    await tx`delete from group_hosts where host_id in (select id from hidden_hosts)`;
    await tx`delete from cnames where interface_id in (select id from hidden_interfaces)`;
    await tx`delete from interfaces where id in (select id from hidden_interfaces)`;
    await tx`delete from files where host_id in (select id from hidden_hosts) or network_id in (select id from hidden_networks)`;
    await tx`delete from hosts where id in (select id from hidden_hosts)`;
    await tx`delete from networks where id in (select id from hidden_networks)`;
    await tx`select rebuild_free_addresses(id) from networks`;
  });
}

/** Changes of hidden records, and those that only mounted items on hidden hosts or added these to groups. */
async function forgetChanges(tx: SQL): Promise<void> {
  await tx`update items set host_id = null, stack_member = null where host_id in (select id from hidden_hosts)`;
  for (const state of ["before", "after"]) {
    await tx.unsafe(`update changes set ${state} = ${state} || '{"host_id": null, "stack_member": null}'
      where table_name = 'items' and (${state} ->> 'host_id')::int in (select id from hidden_hosts)`);
  }
  await tx`delete from changes where
    table_name in ('items', 'groups') and action = 'update' and before - ${STAMPS}::text[] = after - ${STAMPS}::text[]
    or table_name = 'hosts' and row_id in (select id from hidden_hosts)
    or table_name = 'networks' and row_id in (select id from hidden_networks)
    or table_name = 'files' and (coalesce(after, before) ->> 'host_id')::int in (select id from hidden_hosts)
    or table_name = 'files' and (coalesce(after, before) ->> 'network_id')::int in (select id from hidden_networks)
    or table_name = 'interfaces' and row_id in (select id from hidden_interfaces)
    or table_name = 'cnames' and (coalesce(after, before) ->> 'interface_id')::int in (select id from hidden_interfaces)
    or table_name = 'group_hosts' and (coalesce(after, before) ->> 'host_id')::int in (select id from hidden_hosts)`;
}

const STAMPS = "{version,updated_at,updated_by,unseen}";

/** Sets version, time and author of rows by the remaining changes: each counts as one version. */
async function restamp(tx: SQL, table: string): Promise<void> {
  await tx.unsafe(`
    update ${table} set version = last_change.version, updated_at = last_change.updated_at, updated_by = last_change.updated_by, unseen = 0
    from (
      select row_id, (count(*) over (partition by row_id))::int as version,
        (after ->> 'updated_at')::timestamptz as updated_at, (after ->> 'updated_by')::int as updated_by,
        row_number() over (partition by row_id order by id desc) as place
      from changes where table_name = '${table}' and action <> 'delete'
    ) last_change
    where last_change.row_id = ${table}.id and place = 1`);
}
