// Two worlds: one with hidden records full of canary words, and the same one as if they had never been. What
// a plain user is told must not differ by a byte.
import { alice, api } from "./mod.ts";
import { service } from "./service.ts";

export const CANARY = "canary";

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}

/** A site as everybody sees it, with hidden things in every corner of it. */
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
  const child = await made("/network/groups", { name: "Child", vars: { port: 1 } });
  await made("/network/groups", { name: "Parent", children: [child.name] });
  const host = (name: string, fields: object) =>
    made("/network/hosts", { name, device_type: "Network", ...fields });
  await host("web-01", { network: "Open", items: ["AAA001"], automation_groups: ["Child"] });
  await addSecrets(host);
  await host("web-02", {
    network: "Open",
    mac: "02:42:42:00:00:09",
    automation_groups: ["Parent"],
  });
  const [main] = (await api(alice).get("/network/interfaces?name=web-02")).body;
  await made("/network/cnames", { name: "www", interface_id: main.id });
}

/** So that the ids that are asked for are those of these records. */
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
  // In a network that everybody sees, too.
  const second = { host: hidden.name, network: "Open", name: `${CANARY}-02`, ip: "10.1.1.2" };
  const { id } = await made("/network/interfaces", { ...second, description: CANARY });
  await made("/network/cnames", { name: `${CANARY}-www`, interface_id: id });
  const on = { serial_number: "S2", ics_id: "AAA002", host_id: hidden.id, stack_member: 1 };
  await made("/inventory/items", on);
  const gone = await host(`${CANARY}-gone`, { network: `${CANARY}-net` });
  await api(alice).delete(`/network/hosts/${gone.id}`);
}

/** As if the hidden had never been: no row, no history; their ids are burnt. */
export async function forgetSecrets(): Promise<void> {
  const { sql } = await service();
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temp table hidden_networks on commit drop as select id from networks where sensitive`;
    await tx`create temp table hidden_interfaces on commit drop as
      select distinct row_id as id, coalesce(after, before) ->> 'host_id' as host_id from changes
      where table_name = 'interfaces' and (coalesce(after, before) ->> 'host_id') in (
        select coalesce(after, before) ->> 'host_id' from changes
        where table_name = 'interfaces'
          and (coalesce(after, before) ->> 'network_id')::int in (select id from hidden_networks))`;
    await tx`create temp table hidden_hosts on commit drop as
      select distinct host_id::int as id from hidden_interfaces`;
    await tx`update items set host_id = null, stack_member = null where host_id in (select id from hidden_hosts)`;
    await tx`update changes set after = after || '{"host_id": null, "stack_member": null}'
      where table_name = 'items' and (after ->> 'host_id')::int in (select id from hidden_hosts)`;
    await tx`delete from changes where
      table_name = 'hosts' and row_id in (select id from hidden_hosts)
      or table_name = 'networks' and row_id in (select id from hidden_networks)
      or table_name = 'interfaces' and row_id in (select id from hidden_interfaces)
      or table_name = 'cnames' and (coalesce(after, before) ->> 'interface_id')::int in (select id from hidden_interfaces)
      or table_name = 'group_hosts' and (coalesce(after, before) ->> 'host_id')::int in (select id from hidden_hosts)`;
    for (const table of ["full_names", "host_variables"]) {
      await tx.unsafe(`delete from ${table} where host_id in (select id from hidden_hosts)`);
    }
    await tx`delete from group_hosts where host_id in (select id from hidden_hosts)`;
    await tx`delete from cnames where interface_id in (select id from hidden_interfaces)`;
    await tx`delete from interfaces where id in (select id from hidden_interfaces)`;
    await tx`delete from hosts where id in (select id from hidden_hosts)`;
    await tx`delete from networks where id in (select id from hidden_networks)`;
  });
}
