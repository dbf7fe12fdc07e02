import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { MAIN_INTERFACES } from "../main_interface.ts";

/**
 * JSON: the variables of each host by its name. Ours stand under `cadastre`, and text that people type freely is not
 * among them: Ansible would take braces in it for a template. A host without an interface is reached by its
 * name, as if nothing were said; so there always is a variable behind ours, and two objects become one by a comma.
 */
export async function hostVars(hosts: SQL): Promise<string> {
  const found = await database.row<{ json: string }>(sql`
    with chosen as materialized (select hosts.* from hosts where ${hosts}),
      main as materialized ${MAIN_INTERFACES},
      aliases as materialized (
        select interface_id, json_agg(name order by name) as names from cnames group by interface_id
      ),
      connected as materialized (
        select interfaces.host_id, max(host(interfaces.ip)) filter (where main.id is not null) as ip,
          max(domains.name) filter (where main.id is not null) as domain,
          json_agg(json_build_object(
            'name', interfaces.name, 'ip', host(interfaces.ip), 'netmask', host(netmask(networks.address)),
            'mac', interfaces.mac, 'network', networks.vlan_name, 'vlan_id', networks.vlan_id,
            'gateway', host(networks.gateway), 'domain', domains.name, 'cnames', coalesce(aliases.names, '[]')
          ) order by main.id is null, interfaces.id) as interfaces
        from chosen
          join interfaces on interfaces.host_id = chosen.id
          join networks on networks.id = interfaces.network_id
          join domains on domains.id = networks.domain_id
          left join main on main.id = interfaces.id
          left join aliases on aliases.interface_id = interfaces.id
        group by interfaces.host_id
      )
    select coalesce('{' || string_agg(to_json(hosts.name)::text || ':{"cadastre":' || json_build_object(
          'fqdn', concat_ws('.', hosts.name, domain), 'device_type', device_types.name, 'is_ioc', hosts.is_ioc,
          'interfaces', coalesce(connected.interfaces, '[]')
        )::text || ',' || substr((
          jsonb_build_object('ansible_host', coalesce(ip, hosts.name)) || (hosts.automation_vars - 'cadastre')
        )::text, 2), ',' order by hosts.name) || '}', '{}') as json
    from chosen hosts
      join device_types on device_types.id = hosts.device_type_id
      left join connected on connected.host_id = hosts.id`);
  return found?.json ?? "{}";
}
