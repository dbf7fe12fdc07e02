// A few records of every kind, created over the API, for the search in lists.
import { alice, api } from "../support/mod.ts";

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}

/** Two visible networks, and the sensitive network Vaults with the host vault. */
export async function makeRecords(): Promise<void> {
  await makeGround();
  await makeItems();
  await makeHosts();
  await makeGroups();
}

async function makeGround(): Promise<void> {
  const lab = await made("/network/domains", { name: "lab.example.org" });
  await made("/network/domains", { name: "acc.example.org" });
  const range = { first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain_id: lab.id };
  await made("/network/scopes", { name: "Laboratory", description: "All of hall 4", ...range });
  const other = { first_vlan: 200, last_vlan: 299, supernet: "10.9.0.0/16", domain_id: lab.id };
  await made("/network/scopes", { name: "Spare", ...other });
  await aNetwork(1, { vlan_name: "Office", description: "Desks and printers, hall 4" });
  await aNetwork(2, { vlan_name: "Backup", admin_only: true, gateway: null });
  await aNetwork(9, { vlan_name: "Vaults", sensitive: true, description: "Secret of the vault" });
}

function aNetwork(number: number, fields: object) {
  const start = `10.1.${number}`;
  const ends = { first_ip: `${start}.1`, last_ip: `${start}.200`, gateway: `${start}.254` };
  const given = { scope: "Laboratory", vlan_id: number, address: `${start}.0/24`, ...ends };
  return made("/network/networks", { ...given, ...fields });
}

async function makeItems(): Promise<void> {
  const described = { name: "ACME Corp", description: "Makes pumps, and anvils" };
  await made("/inventory/manufacturers", described);
  await made("/inventory/manufacturers", { name: "Zenith" });
  await made("/inventory/models", { name: "X100", description: "Grinder" });
  for (const name of ["Rack 12", "Gallery"]) await made("/inventory/locations", { name });
  for (const name of ["In service", "Spare"]) await made("/inventory/statuses", { name });
  const chassis = await made("/inventory/items", {
    ics_id: "AAA001",
    serial_number: "SN-1/A",
    quantity: 3,
    manufacturer: "ACME Corp",
    model: "X100",
    location: "Rack 12",
    status: "In service",
  });
  const board = { ics_id: "AAB002", serial_number: "12345", manufacturer: "Zenith" };
  const inside = await made("/inventory/items", { ...board, parent_id: chassis.id });
  for (const body of ["Fan replaced, works again.", "Checked"]) {
    await made(`/inventory/items/${inside.id}/comments`, { body });
  }
  await made("/inventory/items", { ics_id: "AAC003", serial_number: "rack 12", status: "Spare" });
  await made("/inventory/macs", { address: "02:42:42:00:00:01", item_id: chassis.id });
  await made("/inventory/macs", { address: "02:42:42:00:00:ff" });
}

async function makeHosts(): Promise<void> {
  await made("/network/hosts", { name: "web", device_type: "Network", network: "Office" });
  const [main] = (await api(alice).get("/network/interfaces?name=web")).body;
  await made("/network/cnames", { name: "www", interface_id: main.id });
  const db = { name: "db", device_type: "Physical", is_ioc: true, items: ["AAA001"] };
  await made("/network/hosts", { ...db, network: "Office", mac: "02:42:42:00:00:01" });
  const second = {
    host: "db",
    network: "Backup",
    name: "db-backup",
    description: "Dumps, nightly",
  };
  await made("/network/interfaces", second);
  const vault = { name: "vault", device_type: "Network", network: "Vaults", description: "Gold" };
  const { id } = await made("/network/hosts", vault);
  const open = { host: "vault", network: "Office", name: "vault-office" };
  const door = await made("/network/interfaces", open);
  await made("/network/cnames", { name: "safe", interface_id: door.id });
  const mounted = { ics_id: "AAD004", serial_number: "SN4", host_id: id, stack_member: 7 };
  await made("/inventory/items", mounted);
}

async function makeGroups(): Promise<void> {
  await made("/network/groups", { name: "Linux", hosts: ["web", "vault"], vars: { port: 8080 } });
  const vars = { note: "Pump House", tls: { on: true, ports: [443, 8443] } };
  await made("/network/groups", { name: "Beam line", type: "query", query: "is_ioc:true", vars });
  await made("/network/groups", { name: "All of it", children: ["Linux"] });
}
