// The hosts and interfaces of a feed: those in the requested networks and groups that are visible to the caller.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { isBelow, isReservedName } from "../../input/domain_names.ts";
import { refuse, unknownName } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { memberships, queries } from "../groups/members.ts";
import { ALL } from "../variables/variables.ts";

const FILTERS = ["scope", "network", "group"] as const;
type FeedFilter = (typeof FILTERS)[number];
/** Names by their parameters. */
export type FilterNames = { [Name in FeedFilter]?: string[] };

/** Conditions. */
export interface FeedSelection {
  /** Of a host, in a query from hosts. */
  hosts: SQL;
  /** Of any interface of such a host, in a query from interfaces. */
  ofHosts: SQL;
  /** Of an interface, in a query from interfaces and networks. */
  interfaces: SQL;
  /** Of a network; does not include its visibility. */
  networks: SQL;
}

const isReservedInterface = isReservedName(sql`interfaces.name`);

/**
 * A condition: the name of a cname is published, because it is in a registered domain and means nothing else. Most are
 * directly in one: only the others are compared with each domain.
 */
export const isPublished = sql`(not ${isReservedName(sql`cnames.name`)}
  and (substr(cnames.name, strpos(cnames.name, '.') + 1) in (select domains.name from domains)
    or exists (select from domains where ${isBelow(sql`cnames.name`, sql`domains.name`)})))`;

export async function select(caller: Caller, names: FilterNames): Promise<FeedSelection> {
  const { scope, network, group } = await idsOf(caller, names);
  const networkConditions = [
    ...(scope ? [sql`networks.scope_id = any(${integers(scope)})`] : []),
    ...(network ? [sql`networks.id = any(${integers(network)})`] : []),
  ];
  const members = group && (await membersOf(caller, group));
  const there = sql`(
    select host_id from interfaces join networks on networks.id = network_id where ${all(networkConditions)})`;
  // A feed is no place for names that mean something else to its reader.
  const reserved = sql`(select id from hosts where ${isReservedName(sql`name`)})`;
  const isUsable = (host: SQL) => sql`${mayKnowHost(caller, host)} and ${host} not in ${reserved}`;
  const isSelected = (host: SQL) =>
    all([
      isUsable(host),
      ...(networkConditions.length > 0 ? [sql`${host} in ${there}`] : []),
      ...(members ? [sql`${host} in ${members}`] : []),
    ]);
  return {
    networks: all(networkConditions),
    hosts: isSelected(sql`hosts.id`),
    ofHosts: sql`${isSelected(sql`interfaces.host_id`)} and not ${isReservedInterface}`,
    interfaces: all([
      isUsable(sql`interfaces.host_id`),
      sql`not ${isReservedInterface}`,
      ...networkConditions,
      ...(members ? [sql`interfaces.host_id in ${members}`] : []),
    ]),
  };
}

/** The ids behind the names; the name of a hidden network is unknown. */
async function idsOf(
  caller: Caller,
  names: FilterNames,
): Promise<Partial<Record<FeedFilter, number[]>>> {
  const parameters = FILTERS.flatMap((field) =>
    (names[field] ?? []).map((name) => ({ field, name })),
  );
  if (parameters.length === 0) return {};
  // In SQL: names of three tables are looked up in one statement.
  const found = await database.rows<{ field: FeedFilter; name: string; id: number | null }>(sql`
    select field, name, case field
        when 'scope' then (select id from scopes where lower(scopes.name) = lower(asked.name collate names))
        when 'network' then (select id from networks
          where lower(vlan_name) = lower(asked.name collate names) and ${mayKnowNetwork(caller)})
        else (select id from groups where lower(groups.name) = lower(asked.name collate names)) end as id
    from unnest(${sql.param(parameters.map(({ field }) => field))}::text[], ${sql.param(parameters.map(({ name }) => name))}::text[])
      asked (field, name)`);
  const errors = found
    .filter(({ id }) => id === null)
    .map(({ field, name }) => unknownName(field, name));
  if (errors.length > 0) throw refuse(errors);
  const grouped = Object.groupBy(found, ({ field }) => field);
  return Object.fromEntries(
    Object.entries(grouped).map(([field, rows]) => [field, rows.flatMap(({ id }) => id ?? [])]),
  );
}

/** The hosts of groups and of their descendants. */
async function membersOf(caller: Caller, groups: number[]): Promise<SQL> {
  const queried = await queries(caller, database.rows);
  return sql`(
    with recursive below as (
      select unnest(${integers(groups)}) as id
      union select child_id from group_children join below on parent_id = below.id
    )
    select host_id from ${memberships(queried)} member where group_id in (select id from below)
    union all select id from hosts
      where exists (select from groups where name = ${ALL} and id in (select id from below)))`;
}

function all(conditions: SQL[]): SQL {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
