// Records of the network as they were at a time. They are read by the same queries as now: each statement begins with
// tables of that time under their own names, which the query reads instead. Only rows that lead to the record are
// rebuilt. What is hidden now is hidden then.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, consoleCaller } from "../auth/auth.ts";
import { mayKnowPastHost, mayKnowPastNetwork } from "../auth/visibility.ts";
import { recordFrom } from "../store/past.ts";
import * as records from "../store/records.ts";
import { type Fields, type Resource, type RowOf, recordQuery } from "../store/resource.ts";
import { type Cname, cname } from "./cnames/cname.ts";
import { type Domain, domain } from "./domains/domain.ts";
import { type Group, group } from "./groups/group.ts";
import { type Host, host } from "./hosts/host.ts";
import { type Interface, networkInterface } from "./interfaces/interface.ts";
import { type Network, network } from "./networks/network.ts";
import { type Scope, scope } from "./scopes/scope.ts";

interface PastRecord {
  id: number;
  at: Date;
}

export function findHost(caller: Caller, when: PastRecord): Promise<records.RecordJson<Host>> {
  return find(host, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: rowsAt("hosts", when), ...hostTables(caller, when) },
  });
}

export function findInterface(
  caller: Caller,
  when: PastRecord,
): Promise<records.RecordJson<Interface>> {
  const owner = sql`select (state_at('interfaces', ${when.id}, ${timestamp(when)}) ->> 'host_id')::integer`;
  return find(networkInterface, when, {
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: { hosts: rowsAt("hosts", when, owner), ...hostTables(caller, when) },
  });
}

export function findNetwork(
  caller: Caller,
  when: PastRecord,
): Promise<records.RecordJson<Network>> {
  const ids = idsEver(sql`table_name = 'interfaces'`, "network_id", "networks");
  return find(network, when, {
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
  return find(scope, when, {
    tables: { scopes: rowsAt("scopes", when), networks: networksAt(caller, when) },
  });
}

export function findDomain(caller: Caller, when: PastRecord): Promise<records.RecordJson<Domain>> {
  return find(domain, when, {
    tables: {
      domains: rowsAt("domains", when),
      scopes: rowsAt("scopes", when, allIds("scopes")),
      networks: networksAt(caller, when),
    },
  });
}

export function findCname(caller: Caller, when: PastRecord): Promise<records.RecordJson<Cname>> {
  return find(cname, when, {
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
  const ids = idsEver(sql`${OF_HOSTS} and table_name = 'group_hosts'`, "group_id", when.id);
  return find(group, when, {
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

interface Past {
  known?: SQL;
  /** Its own table and those that lead to it, by their names; each may read those before it. */
  tables: Record<string, SQL>;
}

function find<F extends Fields>(
  resource: Resource<F>,
  when: PastRecord,
  { known = sql`true`, tables }: Past,
): Promise<records.RecordJson<RowOf<Resource<F>>>> {
  const query = recordQuery(resource, consoleCaller);
  const all = Object.values({ ...tables, ...referredTo(resource, when, tables) });
  const past = sql`with ${sql.join(all, sql`, `)}`;
  return records.find({ ...query, past }, sql`${query.id} = ${when.id} and ${known}`) as Promise<
    records.RecordJson<RowOf<Resource<F>>>
  >;
}

/** The past rows of tables that the resource refers to, except those in `tables`. */
function referredTo(resource: Resource, when: PastRecord, tables: Past["tables"]): Past["tables"] {
  const names = Object.values(resource.fields).flatMap(({ refersTo }) => refersTo?.table ?? []);
  const further = names.filter((name) => !(name in tables));
  return Object.fromEntries(further.map((name) => [name, rowsAt(name, when, allIds(name))]));
}

/** The tables that the record of a host reads beside `hosts`, which comes before them. */
function hostTables(caller: Caller, when: PastRecord): Past["tables"] {
  const mine = { only: sql`one.host_id in (select id from hosts)` };
  const everOf = (which: SQL) => idsEver(which, "host_id", "hosts");
  return {
    interfaces: rowsAt("interfaces", when, everOf(sql`${OF_HOSTS} and table_name = 'interfaces'`), {
      ...mine,
      known: mayKnowPastNetwork(caller, sql`one.network_id`),
    }),
    networks: rowsAt("networks", when, sql`select distinct network_id from interfaces`),
    domains: rowsAt("domains", when, allIds("domains")),
    cnames: rowsAt(
      "cnames",
      when,
      idsEver(sql`table_name = 'cnames'`, "interface_id", "interfaces"),
      {
        only: sql`one.interface_id in (select id from interfaces)`,
      },
    ),
    groups: rowsAt("groups", when, allIds("groups")),
    group_hosts: rowsAt(
      "group_hosts",
      when,
      everOf(sql`${OF_HOSTS} and table_name = 'group_hosts'`),
      mine,
    ),
    items: rowsAt(
      "items",
      when,
      everOf(sql`table_name = 'items' and after ->> 'host_id' is not null`),
      mine,
    ),
    models: rowsAt("models", when, allIds("models")),
    device_types: DEVICE_TYPES,
  };
}

function networksAt(caller: Caller, when: PastRecord): SQL {
  return rowsAt("networks", when, allIds("networks"), {
    known: mayKnowPastNetwork(caller, sql`one.id`),
  });
}

interface RowFilter {
  only?: SQL;
  known?: SQL;
}

/** A CTE with past rows of a table, by default the row of the record alone. */
function rowsAt(
  table: string,
  when: PastRecord,
  ids: SQL = sql`select ${when.id}::integer`,
  { only = sql`true`, known = sql`true` }: RowFilter = {},
): SQL {
  const name = sql.identifier(table);
  return sql`${name} as (
    select one.* from (${ids}) ever (id)
      cross join lateral (select state_at(${table}, ever.id, ${timestamp(when)}) as state) was
      cross join lateral ${recordFrom(table, sql`was.state`)} one
    where was.state is not null and ${only} and ${known})`;
}

/** The ids of all rows that a table has ever had. */
function allIds(table: string): SQL {
  return sql`select distinct row_id from changes where table_name = ${table}`;
}

/** The ids of rows that have ever belonged to rows of another table, written as the indexes of `changes` are. */
function idsEver(which: SQL, key: string, owner: string | number): SQL {
  const owners =
    typeof owner === "number" ? sql`= ${owner}` : sql`in (select id from ${sql.identifier(owner)})`;
  return sql`
    select distinct row_id from changes
    where ${which} and (after ->> ${sql.raw(`'${key}'`)})::integer ${owners}`;
}

const OF_HOSTS = sql`table_name in ('interfaces', 'group_hosts')`;

/** Device types never change, so only deleted ones are added. */
const DEVICE_TYPES = sql`device_types as (
  select * from device_types
  union all select one.* from changes cross join lateral ${recordFrom("device_types", sql`before`)} one
  where table_name = 'device_types' and action = 'delete')`;

function timestamp({ at }: PastRecord): SQL {
  return sql`${at.toISOString()}::timestamptz`;
}
