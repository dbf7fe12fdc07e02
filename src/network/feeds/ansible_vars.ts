import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

/**
 * JSON: the variables of each host by name. Ours are under `cadastre` and contain no free text: Ansible would read
 * braces in it as a template. A host without an interface has its name as `ansible_host`, so that there always is a
 * further variable and the two objects can be joined by a comma.
 *
 * Concatenated as text, which takes a third of the time of JSON functions: names and addresses of hosts, interfaces
 * and networks contain nothing that JSON escapes.
 */
export async function hostVars(hosts: SQL): Promise<string> {
  const found = await database.row<{ json: string }>(sql`
    with connected as (
      select host_id, (array_agg(ip))[1] as ip, (array_agg(domain))[1] as domain, string_agg(format(
        '{"name" : "%s", "ip" : "%s", "netmask" : "%s", "mac" : %s, %s, "cnames" : %s}',
        name, ip, netmask, coalesce('"' || mac || '"', 'null'), network, coalesce(cnames, '[]')), ', ') as interfaces
      from (${interfacesOf(hosts)}) interfaces group by host_id
    )
    select coalesce('{' || string_agg(format(
        '"%s":{"cadastre":{"fqdn" : %s, "device_type" : %s, "is_ioc" : %s, "interfaces" : [%s]},%s', hosts.name,
        to_json(concat_ws('.', hosts.name, domain)), to_json(device_types.name), to_json(hosts.is_ioc), interfaces,
        substr((
          jsonb_build_object('ansible_host', coalesce(ip, hosts.name)) || (hosts.automation_vars - 'cadastre')
        )::text, 2)), ',' order by hosts.name) || '}', '{}') as json
    from hosts
      join device_types on device_types.id = hosts.device_type_id
      left join connected on connected.host_id = hosts.id
    where ${hosts}`);
  return found?.json ?? "{}";
}

/** The main interface of each host first; the text about a network is built once a network. */
function interfacesOf(hosts: SQL): SQL {
  // In SQL: text that PostgreSQL builds, once a network.
  return sql`
    select interfaces.host_id, interfaces.name, host(interfaces.ip) as ip, interfaces.mac, place.*, aliases.cnames
    from hosts
      join interfaces on interfaces.host_id = hosts.id
      join (
        select networks.id, domains.name as domain, host(netmask(address)) as netmask, format(
          '"network" : "%s", "vlan_id" : %s, "gateway" : %s, "domain" : %s', vlan_name, vlan_id,
          coalesce('"' || host(gateway) || '"', 'null'), to_json(domains.name)) as network
        from networks join domains on domains.id = networks.domain_id offset 0
      ) place on place.id = interfaces.network_id
      left join (
        select interface_id, json_agg(name order by name)::text as cnames from cnames group by interface_id
      ) aliases on aliases.interface_id = interfaces.id
    where ${hosts} order by interfaces.host_id, interfaces.name <> hosts.name, interfaces.id`;
}
