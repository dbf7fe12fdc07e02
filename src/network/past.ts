// Records of the network as they were at a time. They are told by the same queries as ever: before each stand
// the tables of then, under their own names, so that the query finds those instead. Only rows that lead to the
// record are put together again. What is hidden now is hidden then.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, machine } from "../auth/auth.ts";
import { mayKnowPastHost, mayKnowPastNetwork } from "../auth/visibility.ts";
import * as records from "../store/records.ts";
import { recordQuery } from "../store/resource.ts";
import { cname } from "./cnames/cname.ts";
import { domain } from "./domains/domain.ts";
import { group } from "./groups/group.ts";
import { host } from "./hosts/host.ts";
import { networkInterface } from "./interfaces/interface.ts";
import { network } from "./networks/network.ts";
import { scope } from "./scopes/scope.ts";

interface When {
  id: number;
  at: Date;
}

export function findHost(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(host, machine),
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: [then("hosts", when), ...aroundHosts(caller, when)],
  });
}

export function findInterface(caller: Caller, when: When): Promise<records.Found> {
  const host = sql`select (state_at('interfaces', ${when.id}, ${moment(when)}) ->> 'host_id')::integer`;
  return tell(when, {
    resource: recordQuery(networkInterface, machine),
    known: mayKnowPastHost(caller, sql`hosts.id`),
    tables: [then("hosts", when, host), ...aroundHosts(caller, when)],
  });
}

export function findNetwork(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(network, machine),
    known: mayKnowPastNetwork(caller, sql`networks.id`),
    tables: [
      then("networks", when),
      then("scopes", when, all("scopes")),
      then("domains", when, all("domains")),
      then("interfaces", when, ever(sql`table_name = 'interfaces'`, "network_id", "networks"), {
        only: sql`one.network_id in (select id from networks)`,
        known: mayKnowPastHost(caller, sql`one.host_id`),
      }),
    ],
  });
}

export function findScope(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(scope, machine),
    tables: [
      then("scopes", when),
      then("domains", when, all("domains")),
      networksThen(caller, when),
    ],
  });
}

export function findDomain(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(domain, machine),
    tables: [
      then("domains", when),
      then("scopes", when, all("scopes")),
      networksThen(caller, when),
    ],
  });
}

export function findCname(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(cname, machine),
    known: mayKnowPastHost(caller, sql`interfaces.host_id`),
    tables: [
      then("cnames", when),
      then("interfaces", when, sql`select interface_id from cnames`, {
        known: mayKnowPastNetwork(caller, sql`one.network_id`),
      }),
    ],
  });
}

/** The hosts of a group by query are those that it finds now: of then it has none to tell. */
export function findGroup(caller: Caller, when: When): Promise<records.Found> {
  return tell(when, {
    resource: recordQuery(group, machine),
    tables: [
      then("groups", when, all("groups")),
      then("group_children", when, all("group_children")),
      then(
        "group_hosts",
        when,
        ever(sql`${OF_HOSTS} and table_name = 'group_hosts'`, "group_id", when.id),
        {
          only: sql`one.group_id = ${when.id}`,
          known: mayKnowPastHost(caller, sql`one.host_id`),
        },
      ),
      then("hosts", when, sql`select host_id from group_hosts`),
    ],
  });
}

interface Telling {
  resource: records.RecordQuery;
  known?: SQL;
  tables: SQL[];
}

function tell({ id }: When, telling: Telling): Promise<records.Found> {
  const { resource, tables, known = sql`true` } = telling;
  const past = sql`with ${sql.join(tables, sql`, `)}`;
  return records.find({ ...resource, past }, sql`${resource.id} = ${id} and ${known}`);
}

/** What hosts are told by, once they stand there themselves. */
function aroundHosts(caller: Caller, when: When): SQL[] {
  return [
    then(
      "interfaces",
      when,
      ever(sql`${OF_HOSTS} and table_name = 'interfaces'`, "host_id", "hosts"),
      {
        only: sql`one.host_id in (select id from hosts)`,
        known: mayKnowPastNetwork(caller, sql`one.network_id`),
      },
    ),
    then("networks", when, sql`select distinct network_id from interfaces`),
    then("domains", when, all("domains")),
    then("cnames", when, ever(sql`table_name = 'cnames'`, "interface_id", "interfaces"), {
      only: sql`one.interface_id in (select id from interfaces)`,
    }),
    then("groups", when, all("groups")),
    then(
      "group_hosts",
      when,
      ever(sql`${OF_HOSTS} and table_name = 'group_hosts'`, "host_id", "hosts"),
      {
        only: sql`one.host_id in (select id from hosts)`,
      },
    ),
    then(
      "items",
      when,
      ever(sql`table_name = 'items' and after ->> 'host_id' is not null`, "host_id", "hosts"),
      {
        only: sql`one.host_id in (select id from hosts)`,
      },
    ),
    then("models", when, all("models")),
    DEVICE_TYPES,
  ];
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
