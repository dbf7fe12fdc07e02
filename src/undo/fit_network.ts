// Checks of restored network records: addresses within networks, networks within scopes, unique names, no circles
// of groups.

import { sql } from "drizzle-orm";
import { mayKnowHost } from "../auth/visibility.ts";
import { isReservedName } from "../input/domain_names.ts";
import { networkOutside } from "../network/networks/fit.ts";
import type { FitCheck } from "./fit_check.ts";

const ADDRESS: FitCheck = {
  tables: ["interfaces", "networks"],
  offender: (restored) => sql`
    select name, host(ip) as ip, vlan_name from interfaces join networks on networks.id = network_id
    where (interfaces.id = any(${restored("interfaces")}) or network_id = any(${restored("networks")}))
      and not ip <<= address order by interfaces.ip limit 1`,
  message: ({ name, ip, vlan_name }) => `${name} at ${ip} would be outside ${vlan_name}`,
};

const BLOCK: FitCheck = {
  tables: ["networks", "scopes"],
  offender: (restored) => sql`
    select vlan_name, vlan_id, address, name from networks join scopes on scopes.id = scope_id
    where (networks.id = any(${restored("networks")}) or scope_id = any(${restored("scopes")}))
      and not (address <<= supernet and vlan_id between first_vlan and last_vlan)
    order by networks.address limit 1`,
  message: ({ vlan_name = "", vlan_id = "", address = "", name }) =>
    `${networkOutside({ vlan_name, vlan_id, address })} ${name}`,
};

const nameInUse: FitCheck["message"] = ({ name }) => `The name ${name} is in use now`;

const NAME: FitCheck = {
  tables: ["hosts", "interfaces"],
  offender: (restored) => sql`
    select hosts.name from hosts join interfaces on interfaces.name = hosts.name and host_id <> hosts.id
    where hosts.id = any(${restored("hosts")}) or interfaces.id = any(${restored("interfaces")}) limit 1`,
  message: nameInUse,
  isName: true,
};

/** Compares cnames with the full names of hosts and interfaces in every network that they are in. */
const FULL_NAME: FitCheck = {
  tables: ["hosts", "interfaces", "cnames", "networks"],
  // In SQL: full names are made of joined rows by a lateral join.
  offender: (restored) => sql`
    with full_names as (
      select interfaces.id, host_id, network_id, one.label || '.' || domains.name as name
      from interfaces join hosts on hosts.id = host_id
        join networks on networks.id = network_id join domains on domains.id = domain_id
        cross join lateral (values (interfaces.name), (hosts.name)) one (label)
      where interfaces.id = any(${restored("interfaces")}) or host_id = any(${restored("hosts")})
        or network_id = any(${restored("networks")}) or exists (
          select from cnames where cnames.id = any(${restored("cnames")})
            and split_part(cnames.name, '.', 1) in (interfaces.name, hosts.name))
    )
    select cnames.name from cnames join full_names on full_names.name = cnames.name limit 1`,
  message: nameInUse,
  isName: true,
};

const RESERVED: FitCheck = {
  tables: ["hosts", "interfaces", "cnames"],
  offender: (restored) => {
    const named = (["hosts", "interfaces", "cnames"] as const).map(
      (table) => sql`select name from ${sql.identifier(table)}
        where id = any(${restored(table)}) and ${isReservedName(sql`name`)}`,
    );
    return sql`${sql.join(named, sql` union all `)} limit 1`;
  },
  message: ({ name }) => `The name ${name} is reserved`,
};

const QUERY: FitCheck = {
  tables: ["groups", "group_hosts"],
  offender: (restored, caller) => sql`
    select groups.name, hosts.name as host from group_hosts
      join groups on groups.id = group_id join hosts on hosts.id = host_id
    where type = 'query' and ${mayKnowHost(caller, sql`host_id`)} and (
      group_hosts.id = any(${restored("group_hosts")}) or groups.id = any(${restored("groups")})) limit 1`,
  message: ({ name, host }) =>
    `${name} would find its hosts by a query, but ${host} has been added to it`,
};

const CIRCLE: FitCheck = {
  tables: ["group_children"],
  // In SQL: the builder has no recursive queries.
  offender: (restored) => sql`
    with recursive below as (
      select parent_id, child_id from group_children where id = any(${restored("group_children")})
      union select below.parent_id, group_children.child_id
        from group_children join below on group_children.parent_id = below.child_id
    ) select name from below join groups on groups.id = below.parent_id
    where below.child_id = below.parent_id limit 1`,
  message: ({ name }) => `${name} is now inside a group that it would contain`,
};

export const CHECKS: FitCheck[] = [ADDRESS, BLOCK, NAME, FULL_NAME, RESERVED, QUERY, CIRCLE];
