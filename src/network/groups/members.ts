// Which hosts are in which groups: those that were put there, and those that a query finds at the moment.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import type { Fault } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { mayEdit } from "../../store/may_edit.ts";
import { inside, type Read } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";
import { chosenBy, couldBeChosenBy } from "../hosts/search.ts";
import { ALL } from "../variables/variables.ts";

interface Kept {
  id: number;
  query: string;
}

export interface Query extends Kept {
  /** True of the hosts that it finds. */
  condition: SQL;
}

/** The queries that could find more without an admin's doing, each true of all that it could find. */
export async function openQueries(read: Read): Promise<Query[]> {
  const all = await Promise.all(
    (await keptQueries(read)).map(async (one) => ({
      ...one,
      condition: await couldBeChosenBy(one.query),
    })),
  );
  return all.flatMap(({ condition, ...one }) => (condition ? [{ ...one, condition }] : []));
}

/** Asked for first, whatever is asked of groups: each query becomes a part of the statement. */
export async function queries(read: Read, which?: SQL): Promise<Query[]> {
  return Promise.all((await keptQueries(read, which)).map((one) => ready(one)));
}

/** The same to decide what is allowed: a query that takes too long is taken to find every host. */
export async function strictQueries(read: Read): Promise<Query[]> {
  return Promise.all((await keptQueries(read)).map((one) => ready(one, sql`true`)));
}

function keptQueries(read: Read, which = sql`true`): Promise<Kept[]> {
  return read<Kept>(sql`
    select id, query from groups where type = 'query' and ${which} order by id`);
}

export async function ready({ id, query }: Kept, late?: SQL): Promise<Query> {
  return { id, query, condition: await chosenBy(query, late) };
}

const COLUMNS = sql`hosts.id, hosts.name, hosts.description, hosts.is_ioc, hosts.device_type_id`;

/** A table of hosts with the `group_id` of each group that they are in, hidden ones among them. */
export function membersIn(chosen: Query[]): SQL {
  const put = sql`
    select group_hosts.group_id, ${COLUMNS} from group_hosts join hosts on hosts.id = group_hosts.host_id`;
  const found = chosen.map(
    ({ id, condition }) => sql`select ${id}::integer, ${COLUMNS} from hosts where ${condition}`,
  );
  return sql`(${sql.join([put, ...found], sql` union all `)})`;
}

/** The hosts that these queries find, as pairs of `group_id` and `host_id`. */
export function foundBy(chosen: Query[]): SQL {
  const found = chosen.map(
    ({ id, condition }) =>
      sql`select ${id}::integer as group_id, hosts.id as host_id from hosts where ${condition}`,
  );
  return sql`(${sql.join([sql`select 0 as group_id, 0 as host_id where false`, ...found], sql` union all `)})`;
}

/** The same as pairs of `group_id` and `host_id`. */
export function memberships(chosen: Query[]): SQL {
  return sql`(select member.group_id, member.id as host_id from ${membersIn(chosen)} member)`;
}

interface Below {
  id: number;
  name: string;
  query: string | null;
}

/** The keys of all hosts in a group, as Ansible sees it: those of its children too. */
export async function hostsUnder(read: Read, caller: Caller, group: number): Promise<number[]> {
  const below = await read<Below>(sql`
    with recursive below as (
      select ${group}::integer as id
      union select child_id from group_children join below on parent_id = below.id
    )
    select id, name, query from groups join below using (id)`);
  const chosen = await Promise.all(
    below.flatMap(({ id, query }) => (query === null ? [] : [ready({ id, query })])),
  );
  const ids = integers(below.map(({ id }) => id));
  const everyone = below.some(({ id, name }) => id === group && name === ALL);
  const which = everyone
    ? sql`true`
    : sql`hosts.id in (select member.id from ${membersIn(chosen)} member where member.group_id = any(${ids}))`;
  const found = await read<{ id: number }>(sql`
    select hosts.id from hosts where ${which} and ${mayKnowHost(caller, sql`hosts.id`)}`);
  return found.map(({ id }) => id);
}

interface Named {
  names: string[];
  faults: Fault[];
}

/** A host that is hidden from the caller is told of like one that is not there. */
export async function keysOfHosts(
  tx: Transaction,
  caller: Caller,
  { names, faults }: Named,
): Promise<number[]> {
  const found = await inside(tx)<{ id: number; name: string }>(sql`
    select hosts.id, one as name from unnest(${sql.param(names)}::text[]) one
      join hosts on hosts.name = lower(one collate "C")
    where ${mayKnowHost(caller, sql`hosts.id`)} order by hosts.id for key share of hosts`);
  const known = new Set(found.map(({ name }) => name));
  for (const name of new Set(names.filter((one) => !known.has(one)))) {
    faults.push({ field: "hosts", message: `'${name}' is not a valid host` });
  }
  return found.map(({ id }) => id);
}

/** These and no others are in the group, but for hidden ones: those stay. Gives those that came or went. */
export async function gather(
  tx: Transaction,
  caller: Caller,
  { group, hosts }: { group: number; hosts: number[] },
): Promise<number[]> {
  const wanted = integers(hosts);
  const gone = await inside(tx)<{ host_id: number }>(sql`
    delete from group_hosts where group_id = ${group} and host_id <> all(${wanted})
      and ${mayKnowHost(caller, sql`group_hosts.host_id`)}
    returning host_id`);
  const come = await inside(tx)<{ host_id: number }>(sql`
    insert into group_hosts (group_id, host_id)
    select distinct ${group}::integer, id from unnest(${wanted}) id on conflict do nothing
    returning host_id`);
  const moved = [...gone, ...come].map(({ host_id }) => host_id);
  await mayEdit(inside(tx), caller, moved);
  return moved;
}

/** Of a group that is to choose by a query nobody stays, hidden or not. */
export async function scatter(tx: Transaction, caller: Caller, group: number): Promise<void> {
  await gather(tx, caller, { group, hosts: [] });
  await tx.execute(sql`delete from group_hosts where group_id = ${group}`);
}

/** Whether all of some hosts, and at least one, are hidden from all but admins and auditors. */
export async function areHidden(tx: Transaction, hosts: number[]): Promise<boolean> {
  if (hosts.length === 0) return false;
  const [seen] = await tx.execute(sql`
    select from unnest(${integers(hosts)}) host (id) where not is_sensitive_host(host.id) limit 1`);
  return !seen;
}
