// Records of the network as they were at a time: see store/past/record.ts.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { mayKnowPastHost, mayKnowPastNetwork } from "../auth/visibility.ts";
import { partIds } from "../store/past/parts.ts";
import {
  allIds,
  findPast,
  type Past,
  type PastRecord,
  rowsAt,
  timestamp,
} from "../store/past/record.ts";
import { recordFrom } from "../store/past/rows.ts";
import type * as records from "../store/records.ts";
import { type Cname, cname } from "./cnames/cname.ts";
import { type Domain, domain } from "./domains/domain.ts";
import { type Group, group } from "./groups/group.ts";
import { type Host, host } from "./hosts/host.ts";
import { type Interface, networkInterface } from "./interfaces/interface.ts";
import { type Network, network } from "./networks/network.ts";
import { type Scope, scope } from "./scopes/scope.ts";

export function findHost(caller: Caller, when: PastRecord): Promise<records.RecordJson<Host>> {
  return findPast(caller, host, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: rowsAt("hosts", when), ...hostTables(caller, when) },
  });
}

export function findInterface(
  caller: Caller,
  when: PastRecord,
): Promise<records.RecordJson<Interface>> {
  const owner = sql`select (state_at('interfaces', ${when.id}, ${timestamp(when)}) ->> 'host_id')::integer`;
  return findPast(caller, networkInterface, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: rowsAt("hosts", when, owner), ...hostTables(caller, when) },
  });
}

export function findNetwork(
  caller: Caller,
  when: PastRecord,
): Promise<records.RecordJson<Network>> {
  const ids = partIds(["interfaces", "network_id"], sql`in (select id from networks)`);
  return findPast(caller, network, when, {
    known: mayKnowPastNetwork(caller, sql`networks.id`),
    tables: {
      networks: rowsAt("networks", when),
      interfaces: rowsAt("interfaces", when, ids, {
        only: sql`one.network_id in (select id from networks)`,
        known: mayKnowPastHost(caller, sql`one.host_id`),
      }),
    },
  });
}

export function findScope(caller: Caller, when: PastRecord): Promise<records.RecordJson<Scope>> {
  return findPast(caller, scope, when, {
    tables: { scopes: rowsAt("scopes", when), networks: networksAt(caller, when) },
  });
}

export function findDomain(caller: Caller, when: PastRecord): Promise<records.RecordJson<Domain>> {
  return findPast(caller, domain, when, {
    tables: {
      domains: rowsAt("domains", when),
      scopes: rowsAt("scopes", when, allIds("scopes")),
      networks: networksAt(caller, when),
    },
  });
}

export function findCname(caller: Caller, when: PastRecord): Promise<records.RecordJson<Cname>> {
  return findPast(caller, cname, when, {
    known: mayKnowPastHost(caller, sql`interfaces.host_id`),
    tables: {
      cnames: rowsAt("cnames", when),
      interfaces: rowsAt("interfaces", when, sql`select interface_id from cnames`, {
        known: mayKnowPastNetwork(caller, sql`one.network_id`),
      }),
    },
  });
}

/** The members of a group by query are not recorded: the past of such a group has no hosts. */
export function findGroup(caller: Caller, when: PastRecord): Promise<records.RecordJson<Group>> {
  const ids = partIds(["group_hosts", "group_id"], sql`= ${when.id}`);
  return findPast(caller, group, when, {
    tables: {
      groups: rowsAt("groups", when, allIds("groups")),
      group_children: rowsAt("group_children", when, allIds("group_children")),
      group_hosts: rowsAt("group_hosts", when, ids, {
        only: sql`one.group_id = ${when.id}`,
        known: mayKnowPastHost(caller, sql`one.host_id`),
      }),
      hosts: rowsAt("hosts", when, sql`select host_id from group_hosts`),
    },
  });
}

/** The tables that the record of a host reads beside `hosts`, which comes before them. */
function hostTables(caller: Caller, when: PastRecord): Past["tables"] {
  const mine = { only: sql`one.host_id in (select id from hosts)` };
  const everOf = (table: string) => partIds([table, "host_id"], sql`in (select id from hosts)`);
  return {
    interfaces: rowsAt("interfaces", when, everOf("interfaces"), {
      ...mine,
      known: mayKnowPastNetwork(caller, sql`one.network_id`),
    }),
    networks: rowsAt("networks", when, sql`select distinct network_id from interfaces`),
    domains: rowsAt("domains", when, allIds("domains")),
    cnames: rowsAt(
      "cnames",
      when,
      partIds(["cnames", "interface_id"], sql`in (select id from interfaces)`),
      {
        only: sql`one.interface_id in (select id from interfaces)`,
      },
    ),
    groups: rowsAt("groups", when, allIds("groups")),
    group_hosts: rowsAt("group_hosts", when, everOf("group_hosts"), mine),
    items: rowsAt("items", when, everOf("items"), mine),
    models: rowsAt("models", when, allIds("models")),
    device_types: DEVICE_TYPES,
  };
}

function networksAt(caller: Caller, when: PastRecord): SQL {
  return rowsAt("networks", when, allIds("networks"), {
    known: mayKnowPastNetwork(caller, sql`one.id`),
  });
}

/** Device types never change, so only deleted ones are added. */
const DEVICE_TYPES = sql`device_types as (
  select * from device_types
  union all select one.* from changes cross join lateral ${recordFrom("device_types", sql`before`)} one
  where table_name = 'device_types' and action = 'delete')`;
