// The members of groups: static members, and the hosts that the query of a group finds at present.

import { and, eq, type SQL, sql } from "drizzle-orm";
import { group_hosts } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import type { FieldError } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { mayEdit } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";
import { groupCondition, openGroupCondition } from "../hosts/search.ts";
import { ALL } from "../variables/variables.ts";

interface StoredQuery {
  id: number;
  query: string;
}

export interface GroupQuery extends StoredQuery {
  /** True of the hosts that it finds. */
  condition: SQL;
}

/** Queries whose results can change without an admin, each with a condition for every host that it could find. */
export async function openQueries(caller: Caller, read: Read): Promise<GroupQuery[]> {
  const all = await Promise.all(
    (await savedQueries(read)).map(async (one) => ({
      ...one,
      condition: await openGroupCondition(caller, one.query),
    })),
  );
  return all.flatMap(({ condition, ...one }) => (condition ? [{ ...one, condition }] : []));
}

/** The queries of groups, compiled to conditions that statements about groups include. */
export async function queries(caller: Caller, read: Read, which?: SQL): Promise<GroupQuery[]> {
  return Promise.all((await savedQueries(read, which)).map((one) => compileQuery(caller, one)));
}

/** The same for permission checks: a query that times out is assumed to find every host. */
export async function strictQueries(caller: Caller, read: Read): Promise<GroupQuery[]> {
  const saved = await savedQueries(read);
  return Promise.all(saved.map((one) => compileQuery(caller, one, sql`true`)));
}

function savedQueries(read: Read, which = sql`true`): Promise<StoredQuery[]> {
  return read<StoredQuery>(sql`
    select id, query from groups where type = 'query' and ${which} order by id`);
}

async function compileQuery(
  caller: Caller,
  { id, query }: StoredQuery,
  timeoutCondition?: SQL,
): Promise<GroupQuery> {
  return { id, query, condition: await groupCondition(caller, query, timeoutCondition) };
}

const COLUMNS = sql`hosts.id, hosts.name, hosts.description, hosts.is_ioc, hosts.device_type_id`;

/** A table of hosts, including hidden ones, with the `group_id` of each group that they are in. */
export function membersIn(chosen: GroupQuery[]): SQL {
  const put = sql`
    select group_hosts.group_id, ${COLUMNS} from group_hosts join hosts on hosts.id = group_hosts.host_id`;
  const found = chosen.map(
    ({ id, condition }) => sql`select ${id}::integer, ${COLUMNS} from hosts where ${condition}`,
  );
  return sql`(${sql.join([put, ...found], sql` union all `)})`;
}

/**
 * The same with ids and names only. A name is looked up by id, if it is shown: for each group of a list the planner would
 * read all hosts to join them.
 */
export function namedMembersIn(chosen: GroupQuery[]): SQL {
  const put = sql`
    select group_hosts.group_id, group_hosts.host_id as id,
      (select hosts.name from hosts where hosts.id = group_hosts.host_id) as name from group_hosts`;
  const found = chosen.map(
    ({ id, condition }) =>
      sql`select ${id}::integer, hosts.id, hosts.name from hosts where ${condition}`,
  );
  return sql`(${sql.join([put, ...found], sql` union all `)})`;
}

/** The hosts that these queries find, as pairs of `group_id` and `host_id`. */
export function matchesOf(chosen: GroupQuery[]): SQL {
  const found = chosen.map(
    ({ id, condition }) =>
      sql`select ${id}::integer as group_id, hosts.id as host_id from hosts where ${condition}`,
  );
  return sql`(${sql.join([sql`select 0 as group_id, 0 as host_id where false`, ...found], sql` union all `)})`;
}

/** All memberships as pairs of `group_id` and `host_id`, without reading the hosts of static members. */
export function memberships(chosen: GroupQuery[]): SQL {
  return sql`(
    select group_hosts.group_id, group_hosts.host_id from group_hosts union all select * from ${matchesOf(chosen)} found)`;
}

interface Descendant {
  id: number;
  name: string;
  query: string | null;
}

/** The ids of all hosts in a group and its descendants, as Ansible counts them. */
export async function hostsUnder(read: Read, caller: Caller, group: number): Promise<number[]> {
  const descendants = await read<Descendant>(sql`
    with recursive below as (
      select ${group}::integer as id
      union select child_id from group_children join below on parent_id = below.id
    )
    select id, name, query from groups join below using (id)`);
  const chosen = await Promise.all(
    descendants.flatMap(({ id, query }) =>
      query === null ? [] : [compileQuery(caller, { id, query })],
    ),
  );
  const ids = integers(descendants.map(({ id }) => id));
  const everyone = descendants.some(({ id, name }) => id === group && name === ALL);
  const which = everyone
    ? sql`true`
    : sql`hosts.id in (select member.id from ${membersIn(chosen)} member where member.group_id = any(${ids}))`;
  const found = await read<{ id: number }>(sql`
    select hosts.id from hosts where ${which} and ${mayKnowHost(caller, sql`hosts.id`)}`);
  return found.map(({ id }) => id);
}

interface HostNames {
  names: string[];
  errors: FieldError[];
}

/** A hidden host is reported like one that does not exist. */
export async function idsOfHosts(
  tx: Transaction,
  caller: Caller,
  { names, errors }: HostNames,
): Promise<number[]> {
  const found = await tx.execute<{ id: number; name: string }>(sql`
    select hosts.id, one as name from unnest(${sql.param(names)}::text[]) one
      join hosts on hosts.name = lower(one collate "C")
    where ${mayKnowHost(caller, sql`hosts.id`)} order by hosts.id for key share of hosts`);
  const known = new Set(found.map(({ name }) => name));
  for (const name of new Set(names.filter((one) => !known.has(one)))) {
    const wrong = { field: "hosts", name, table: "hosts", noun: "host" };
    errors.push(await unknownRecord(tx, caller, wrong));
  }
  return found.map(({ id }) => id);
}

/** Replaces the static members of a group, except hidden ones; returns the added and removed hosts. */
export async function setMembers(
  tx: Transaction,
  caller: Caller,
  { group, hosts }: { group: number; hosts: number[] },
): Promise<number[]> {
  const wanted = integers(hosts);
  const { group_id, host_id } = group_hosts;
  const removed = await tx
    .delete(group_hosts)
    .where(
      and(
        eq(group_id, group),
        sql`${host_id} <> all(${wanted})`,
        mayKnowHost(caller, sql`group_hosts.host_id`),
      ),
    )
    .returning({ host_id });
  const added = await tx.execute<{ host_id: number }>(sql`
    insert into group_hosts (group_id, host_id)
    select distinct ${group}::integer, id from unnest(${wanted}) id on conflict do nothing
    returning host_id`);
  const changed = [...removed, ...added].map(({ host_id }) => host_id);
  await mayEdit(tx.execute, caller, changed);
  return changed;
}

/** Removes all static members, hidden ones too: the group becomes one by query. */
export async function removeMembers(tx: Transaction, caller: Caller, group: number): Promise<void> {
  await setMembers(tx, caller, { group, hosts: [] });
  await tx.delete(group_hosts).where(eq(group_hosts.group_id, group));
}

/** Whether there are any hosts and all are visible only to admins and auditors. */
export async function areHidden(tx: Transaction, hosts: number[]): Promise<boolean> {
  if (hosts.length === 0) return false;
  const [seen] = await tx.execute(sql`
    select from unnest(${integers(hosts)}) host (id) where not is_sensitive_host(host.id) limit 1`);
  return !seen;
}
