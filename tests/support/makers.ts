// Creates records over the API, with the fields that a user would give.
import { api } from "./api.ts";
import { alice, PASSWORD } from "./cast.ts";

let made = 0;

function number(): number {
  made += 1;
  return made;
}

export function aManufacturer(fields: object = {}) {
  return create("/inventory/manufacturers", { name: `Manufacturer ${number()}`, ...fields });
}

export function aModel(fields: object = {}) {
  return create("/inventory/models", { name: `Model ${number()}`, ...fields });
}

export function aLocation(fields: object = {}) {
  return create("/inventory/locations", { name: `Location ${number()}`, ...fields });
}

export function aStatus(fields: object = {}) {
  return create("/inventory/statuses", { name: `Status ${number()}`, ...fields });
}

/** Of items, unless another record is given. */
export function aSiteField(fields: object) {
  return create("/site_fields", { record: "item", ...fields });
}

export function aUser(fields: object = {}) {
  return create("/user/users", { username: `user${number()}`, password: PASSWORD, ...fields });
}

export function anItem(fields: object = {}) {
  return create("/inventory/items", { serial_number: `SN${number()}`, ...fields });
}

export function aDomain(fields: object = {}) {
  return create("/network/domains", { name: `d${number()}.example.org`, ...fields });
}

/** Has a /16 of its own, which is not in 10.0.0.0/8: tests name blocks there. */
export async function aScope(fields: object = {}) {
  const domain_id = "domain_id" in fields ? fields.domain_id : (await aDomain()).id;
  const n = number();
  const supernet = `${11 + (Math.floor(n / 250) % 100)}.${n % 250}.0.0/16`;
  const given = { name: `Scope-${n}`, first_vlan: 1, last_vlan: 4000, supernet, domain_id };
  return create("/network/scopes", { ...given, ...fields });
}

/** A /24 with 250 addresses, in a scope of its own unless one is given. */
export async function aNetwork(fields: object = {}) {
  const scope = "scope" in fields ? fields : { scope: (await aScope()).name };
  const n = number();
  const block = "address" in fields ? String(fields.address) : await nextBlock(String(scope.scope));
  const start = block.replace(/\.0\/24$/, "");
  const given = {
    vlan_name: `Net-${n}`,
    vlan_id: (n % 4000) + 1,
    address: block,
    first_ip: `${start}.1`,
    last_ip: `${start}.250`,
    gateway: `${start}.254`,
  };
  return create("/network/networks", { ...given, ...scope, ...fields });
}

export function aHost(fields: object = {}) {
  return create("/network/hosts", { name: `host-${number()}`, device_type: "Physical", ...fields });
}

/** On a host and in a network of its own, unless they are given. */
export async function anInterface(fields: object = {}) {
  const host = "host" in fields ? fields.host : (await aHost()).name;
  const network = "network" in fields ? fields.network : (await aNetwork()).vlan_name;
  return create("/network/interfaces", { name: `if-${number()}`, ...fields, host, network });
}

export function aGroup(fields: object = {}) {
  return create("/network/groups", { name: `Group ${number()}`, ...fields });
}

export function aCname(fields: object) {
  return create("/network/cnames", { name: `alias-${number()}`, ...fields });
}

/** In the order in which they are named. */
export async function inOrder<T>(makers: Array<() => Promise<T>>): Promise<T[]> {
  const records: T[] = [];
  for (const make of makers) records.push(await make());
  return records;
}

async function nextBlock(scope: string): Promise<string> {
  const { body } = await api(alice).get(`/network/scopes?name=${scope}`);
  const [start] = body[0].supernet.split(".0.0/");
  const { headers } = await api(alice).get(`/network/networks?scope=${scope}`);
  return `${start}.${headers.get("x-total-count")}.0/24`;
}

async function create(path: string, fields: object) {
  const { status, body } = await api(alice).post(path, fields);
  if (status !== 201) throw new Error(`${path} was not made: ${JSON.stringify(body)}`);
  return body;
}
