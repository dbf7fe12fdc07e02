// The records for tests of feeds: two visible networks and a sensitive one.
import { alice, api } from "./mod.ts";

/** The hosts are web, db, and vault, which is hidden. */
export async function aFeedNetwork(): Promise<void> {
  const { id: domain_id } = await add("domains", { name: "lab.example.org" });
  await aScope({ name: "Lab", supernet: "10.1.0.0/16", domain_id });
  await aScope({ name: "Lab-v6", supernet: "2001:db8:1::/48", domain_id });
  await aBlock(1, { vlan_name: "Office" });
  await aBlock(2, { vlan_name: "Backup" });
  await aBlock(9, { vlan_name: "Vaults", sensitive: true });
  await add("networks", {
    vlan_name: "Office-v6",
    vlan_id: 1,
    address: "2001:db8:1:1::/64",
    first_ip: "2001:db8:1:1::1",
    last_ip: "2001:db8:1:1::ffff",
    gateway: null,
    scope: "Lab-v6",
  });
  await add("hosts", {
    name: "web",
    device_type: "Virtual",
    network: "Office",
    mac: "02:42:42:00:00:01",
    automation_vars: { http_port: 8080 },
  });
  await add("hosts", { name: "db", device_type: "Physical", is_ioc: true, network: "Office" });
  const second = { host: "db", network: "Backup", name: "db-backup", mac: "02:42:42:00:00:02" };
  await add("interfaces", second);
  await add("interfaces", { host: "web", network: "Office-v6", name: "web-v6" });
  await anAlias("www", "web");
  await add("hosts", {
    name: "vault",
    device_type: "Physical",
    network: "Vaults",
    mac: "02:42:42:00:00:03",
  });
  await add("interfaces", { host: "vault", network: "Office", name: "vault-office" });
  await anAlias("safe", "vault-office");
}

/** Creates a network record as Alice. */
export async function add(kind: string, fields: object) {
  const { status, body } = await api(alice).post(`/network/${kind}`, fields);
  if (status !== 201) throw new Error(`One of ${kind} was not made: ${JSON.stringify(body)}`);
  return body;
}

export async function anAlias(name: string, of: string) {
  const [{ id }] = (await api(alice).get(`/network/interfaces?name=${of}`)).body;
  return add("cnames", { name, interface_id: id });
}

function aScope(fields: object) {
  return add("scopes", { first_vlan: 1, last_vlan: 99, ...fields });
}

function aBlock(number: number, fields: object) {
  const start = `10.1.${number}`;
  return add("networks", {
    vlan_id: number,
    address: `${start}.0/24`,
    first_ip: `${start}.1`,
    last_ip: `${start}.200`,
    gateway: `${start}.254`,
    scope: "Lab",
    ...fields,
  });
}
