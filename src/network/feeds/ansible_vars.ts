import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { eachInSlices } from "../../input/time_slices.ts";
import type { FeedSelection } from "./selection.ts";

interface HostRow {
  id: number;
  name: string;
  device_type: string;
  is_ioc: boolean;
  /** JSON of its own variables with `ansible_host`; null without own variables. */
  vars: string | null;
}

interface InterfaceRow {
  id: number;
  host_id: number;
  name: string;
  ip: string;
  mac: string | null;
  network_id: number;
  /** JSON. */
  cnames: string | null;
}

interface NetworkRow {
  id: number;
  domain: string;
  /** Fields of a JSON object, before and after the MAC address. */
  before: string;
  after: string;
}

/** The interfaces of a host; the values are those of the main one. */
interface Connections {
  ip: string;
  domain: string;
  /** Elements of a JSON list. */
  json: string;
}

/**
 * JSON: the variables of each host by name. Ours are under `cadastre` and contain no free text: Ansible would read
 * braces in it as a template. A host without an interface has its name as `ansible_host`, so that there always is a
 * further variable and the two objects can be joined by a comma.
 *
 * PostgreSQL sends rows, and the text is put together here: that takes a third of the time that it takes in SQL. Names
 * and addresses of hosts, interfaces and networks contain nothing that JSON escapes.
 */
export async function hostVars({
  hosts,
  ofHosts,
}: Pick<FeedSelection, "hosts" | "ofHosts">): Promise<string> {
  const interfaces = await interfaceRows(ofHosts);
  const rows = await hostRows(hosts);
  const connections = await connectionsOf(interfaces, rows);
  let json = "";
  await eachInSlices(rows, (host) => {
    json += `${json ? "," : ""}${varsOf(host, connections.get(host.id))}`;
  });
  return `{${json}}`;
}

function varsOf({ name, device_type, is_ioc, vars }: HostRow, main: Connections | undefined) {
  const fqdn = main ? `${name}.${main.domain}` : name;
  return (
    `"${name}":{"cadastre":{"fqdn" : "${fqdn}", "device_type" : ${JSON.stringify(device_type)}, ` +
    `"is_ioc" : ${is_ioc}, "interfaces" : [${main?.json ?? ""}]},` +
    (vars?.slice(1) ?? `"ansible_host": "${main?.ip ?? name}"}`)
  );
}

/** By host. */
async function connectionsOf(
  interfaces: InterfaceRow[],
  hosts: HostRow[],
): Promise<Map<number, Connections>> {
  const networks = new Map((await networkRows()).map((network) => [network.id, network]));
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  const byHost = new Map<number, Connections>();
  await eachInSlices(interfaces, (one) => {
    const network = networks.get(one.network_id);
    if (!network) return;
    const { ip, host_id } = one;
    const { domain } = network;
    const json = jsonOf(one, network);
    const known = byHost.get(host_id);
    if (!known) byHost.set(host_id, { ip, domain, json });
    else if (one.name !== names.get(host_id)) known.json += `, ${json}`;
    // The main interface comes first.
    else byHost.set(host_id, { ip, domain, json: `${json}, ${known.json}` });
  });
  return byHost;
}

function jsonOf({ name, ip, mac, cnames }: InterfaceRow, { before, after }: NetworkRow): string {
  const address = mac ? `"${mac}"` : "null";
  return `{"name" : "${name}", "ip" : "${ip}", ${before}${address}${after}${cnames ?? "[]"}}`;
}

function hostRows(hosts: SQL): Promise<HostRow[]> {
  // In SQL: PostgreSQL merges variables, and orders them as it orders those of groups.
  return database.rows<HostRow>(sql`
    select hosts.id, hosts.name, device_types.name as device_type, hosts.is_ioc,
      case when hosts.automation_vars <> '{}' then (
        jsonb_build_object('ansible_host', coalesce((
          select host(one.ip) from interfaces one where one.host_id = hosts.id
          order by one.name <> hosts.name, one.id limit 1), hosts.name)
        ) || (hosts.automation_vars - 'cadastre'))::text end as vars
    from hosts join device_types on device_types.id = hosts.device_type_id
    where ${hosts} order by hosts.name`);
}

/** In the order of their ids. Sorted here: for a sorted result PostgreSQL reads the table by its index, in twice the time. */
async function interfaceRows(ofHosts: SQL): Promise<InterfaceRow[]> {
  // In SQL: aliases are aggregated. Without the hosts, whose join takes as long as the rest.
  const found = await database.rows<InterfaceRow>(sql`
    select interfaces.id, interfaces.host_id, interfaces.name, host(interfaces.ip) as ip, interfaces.mac::text as mac,
      interfaces.network_id, aliases.cnames
    from interfaces
      left join (
        select interface_id, json_agg(name order by name)::text as cnames from cnames group by interface_id
      ) aliases on aliases.interface_id = interfaces.id
    where ${ofHosts}`);
  return found.sort((one, other) => one.id - other.id);
}

/** Read last, so that no interface lacks its network. */
function networkRows(): Promise<NetworkRow[]> {
  // In SQL: text that PostgreSQL builds, once a network.
  return database.rows<NetworkRow>(sql`
    select networks.id, domains.name as domain,
      format('"netmask" : "%s", "mac" : ', host(netmask(address))) as before, format(
        ', "network" : "%s", "vlan_id" : %s, "gateway" : %s, "domain" : %s, "cnames" : ', vlan_name, vlan_id,
        coalesce('"' || host(gateway) || '"', 'null'), to_json(domains.name)) as after
    from networks join domains on domains.id = networks.domain_id`);
}
