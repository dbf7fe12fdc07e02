// Records of the network as they were at a time. They are read by the same queries as now: each statement begins with
// tables of that time under their own names, which the query reads instead. Only rows that lead to the record are
// rebuilt. What is hidden now is hidden then.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, machine } from "../auth/auth.ts";
import { mayKnowPastHost, mayKnowPastNetwork } from "../auth/visibility.ts";
import * as records from "../store/records.ts";
import { type Fields, type Resource, type RowOf, recordQuery } from "../store/resource.ts";
import { type Cname, cname } from "./cnames/cname.ts";
import { type Domain, domain } from "./domains/domain.ts";
import { type Group, group } from "./groups/group.ts";
import { type Host, host } from "./hosts/host.ts";
import { type Interface, networkInterface } from "./interfaces/interface.ts";
import { type Network, network } from "./networks/network.ts";
import { type Scope, scope } from "./scopes/scope.ts";

interface When {
  id: number;
  at: Date;
}

export function findHost(caller: Caller, when: When): Promise<records.Found<Host>> {
  return find(host, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: then("hosts", when), ...aroundHosts(caller, when) },
  });
}

export function findInterface(caller: Caller, when: When): Promise<records.Found<Interface>> {
  const owner = sql`select (state_at('interfaces', ${when.id}, ${moment(when)}) ->> 'host_id')::integer`;
  return find(networkInterface, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: then("hosts", when, owner), ...aroundHosts(caller, when) },
  });
}

export function findNetwork(caller: Caller, when: When): Promise<records.Found<Network>> {
  const ids = ever(sql`table_name = 'interfaces'`, "network_id", "networks");
  return find(network, when, {
    known: mayKnowPastNetwork(caller, sql`networks.id`),
    tables: {
      networks: then("networks", when),
      interfaces: then("interfaces", when, ids, {
        only: sql`one.network_id in (select id from networks)`,
        known: mayKnowPastHost(caller, sql`one.host_id`),
      }),
    },
  });
}

export function findScope(caller: Caller, when: When): Promise<records.Found<Scope>> {
  return find(scope, when, {
    tables: { scopes: then("scopes", when), networks: networksThen(caller, when) },
  });
}

export function findDomain(caller: Caller, when: When): Promise<records.Found<Domain>> {
  return find(domain, when, {
    tables: {
      domains: then("domains", when),
      scopes: then("scopes", when, all("scopes")),
      networks: networksThen(caller, when),
    },
  });
}

export function findCname(caller: Caller, when: When): Promise<records.Found<Cname>> {
  return find(cname, when, {
    known: mayKnowPastHost(caller, sql`interfaces.host_id`),
    tables: {
      cnames: then("cnames", when),
      interfaces: then("interfaces", when, sql`select interface_id from cnames`, {
        known: mayKnowPastNetwork(caller, sql`one.network_id`),
      }),
    },
  });
}

/** The hosts of a group by query are those that it finds now: of then it has none to tell. */
export function findGroup(caller: Caller, when: When): Promise<records.Found<Group>> {
  const ids = ever(sql`${OF_HOSTS} and table_name = 'group_hosts'`, "group_id", when.id);
  return find(group, when, {
    tables: {
      groups: then("groups", when, all("groups")),
      group_children: then("group_children", when, all("group_children")),
      group_hosts: then("group_hosts", when, ids, {
        only: sql`one.group_id = ${when.id}`,
        known: mayKnowPastHost(caller, sql`one.host_id`),
      }),
      hosts: then("hosts", when, sql`select host_id from group_hosts`),
    },
  });
}

interface Past {
  known?: SQL;
  /** Its own table and those that lead to it, by their names; each may read those before it. */
  tables: Record<string, SQL>;
}

function find<F extends Fields>(
  resource: Resource<F>,
  when: When,
  { known = sql`true`, tables }: Past,
): Promise<records.Found<RowOf<Resource<F>>>> {
  const query = recordQuery(resource, machine);
  const all = Object.values({ ...tables, ...referredTo(resource, when, tables) });
  const past = sql`with ${sql.join(all, sql`, `)}`;
  return records.find({ ...query, past }, sql`${query.id} = ${when.id} and ${known}`) as Promise<
    records.Found<RowOf<Resource<F>>>
  >;
}

/** Records that it refers to, as they were, but for tables that are there already. */
function referredTo(resource: Resource, when: When, tables: Past["tables"]): Past["tables"] {
  const names = Object.values(resource.fields).flatMap(({ refersTo }) => refersTo?.table ?? []);
  const further = names.filter((name) => !(name in tables));
  return Object.fromEntries(further.map((name) => [name, then(name, when, all(name))]));
}

/** What the record of a host shows beside its own row, once hosts stand there themselves. */
function aroundHosts(caller: Caller, when: When): Past["tables"] {
  const mine = { only: sql`one.host_id in (select id from hosts)` };
  const everOf = (which: SQL) => ever(which, "host_id", "hosts");
  return {
    interfaces: then("interfaces", when, everOf(sql`${OF_HOSTS} and table_name = 'interfaces'`), {
      ...mine,
      known: mayKnowPastNetwork(caller, sql`one.network_id`),
    }),
    networks: then("networks", when, sql`select distinct network_id from interfaces`),
    domains: then("domains", when, all("domains")),
    cnames: then("cnames", when, ever(sql`table_name = 'cnames'`, "interface_id", "interfaces"), {
      only: sql`one.interface_id in (select id from interfaces)`,
    }),
    groups: then("groups", when, all("groups")),
    group_hosts: then(
      "group_hosts",
      when,
      everOf(sql`${OF_HOSTS} and table_name = 'group_hosts'`),
      mine,
    ),
    items: then(
      "items",
      when,
      everOf(sql`table_name = 'items' and after ->> 'host_id' is not null`),
      mine,
    ),
    models: then("models", when, all("models")),
    device_types: DEVICE_TYPES,
  };
}

function networksThen(caller: Caller, when: When): SQL {
  return then("networks", when, all("networks"), {
    known: mayKnowPastNetwork(caller, sql`one.id`),
  });
}

interface Choice {
  only?: SQL;
  known?: SQL;
}

/** The rows of a table as they were, of those ids: of one alone, unless more are named. */
function then(
  table: string,
  when: When,
  ids: SQL = sql`select ${when.id}::integer`,
  { only = sql`true`, known = sql`true` }: Choice = {},
): SQL {
  const name = sql.identifier(table);
  return sql`${name} as (
    select one.* from (${ids}) ever (id)
      cross join lateral (select state_at(${table}, ever.id, ${moment(when)}) as state) was
      cross join lateral jsonb_populate_record(null::${name}, was.state) one
    where was.state is not null and ${only} and ${known})`;
}

/** Whatever has ever been in a table. */
function all(table: string): SQL {
  return sql`select distinct row_id from changes where table_name = ${table}`;
}

/** Whatever has ever belonged to rows of another table, in the words of the indexes of changes. */
function ever(which: SQL, key: string, owner: string | number): SQL {
  const owners =
    typeof owner === "number" ? sql`= ${owner}` : sql`in (select id from ${sql.identifier(owner)})`;
  return sql`
    select distinct row_id from changes
    where ${which} and (after ->> ${sql.raw(`'${key}'`)})::integer ${owners}`;
}

const OF_HOSTS = sql`table_name in ('interfaces', 'group_hosts')`;

/** They do not change; those that have gone come back. */
const DEVICE_TYPES = sql`device_types as (
  select * from device_types
  union all select one.* from changes cross join lateral jsonb_populate_record(null::device_types, before) one
  where table_name = 'device_types' and action = 'delete')`;

function moment({ at }: When): SQL {
  return sql`${at.toISOString()}::timestamptz`;
}
