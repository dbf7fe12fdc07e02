// What groups mean for the hosts that only admins change: a change of groups by others leaves all of that as it is. The
// change is made, and refused if one of these hosts is in other groups then, or gets other variables through them. The
// same goes for the variables that it would get if it came into a group whose query could find it without an admin's
// doing: who changes items, or waits, would otherwise put it there.
import { sql } from "drizzle-orm";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid, type Refusal, taken } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { protectedHosts } from "../../store/may_edit.ts";
import { inside } from "../../store/read.ts";
import { advisoryLock, type Transaction } from "../../store/write.ts";
import { ALL, effective, type Group, PRIORITY, upwards } from "../variables/variables.ts";
import { foundBy, memberships, openQueries, strictQueries } from "./members.ts";

export interface Changing {
  /** What a refusal names. */
  group: string;
  field: string;
  /** Whether hosts may come back into groups: undo puts back the members of a group that was deleted. */
  mayReturn?: boolean;
}

/**
 * Does what changes groups. The refusal is the same for hosts that the caller knows and for hidden ones, and is counted.
 * Every such change waits for the one before, since each might be harmless without the other.
 */
export async function keepingReach<T>(
  tx: Transaction,
  caller: Caller,
  changing: Changing,
  work: () => Promise<T>,
): Promise<T> {
  if (isAdmin(caller)) return work();
  await refuseProbing(caller);
  await advisoryLock(tx, "groups");
  const before = await reachOf(tx);
  const done = await work();
  const now = await reachOf(tx);
  const touched = [...now].filter(([host, reach]) => differs(before.get(host), reach, changing));
  if (touched.length === 0) return done;
  const isOpen = touched.every(([host, reach]) => isSameNow(before.get(host), reach, changing));
  throw await refusal(tx, caller, { ...changing, isOpen, hosts: touched.map(([host]) => host) });
}

/** Every host is in the group `all`, so only admins make, change or delete it, or put it into another. */
export function refuseAll(caller: Caller, field: string, names: string[]): void {
  if (isAdmin(caller) || !names.some((name) => name.toLowerCase() === ALL)) return;
  throw invalid(field, `The group '${ALL}' is for admins`);
}

async function refusal(
  tx: Transaction,
  caller: Caller,
  { group, field, isOpen, hosts }: Changing & { isOpen: boolean; hosts: number[] },
): Promise<Refusal> {
  const [known] = await tx.execute(sql`
    select from unnest(${integers(hosts)}) host (id) where ${mayKnowHost(caller, sql`host.id`)} limit 1`);
  const message = `Only admins may make this change to the group '${group}'${isOpen ? OPEN : ""}`;
  return taken(field, message, { asked: group, isHidden: !known });
}

const OPEN =
  ": a query by items, models, words without a field or the time of now could come to find other hosts";

interface Reach {
  /** The groups that the host was put into, by their keys. */
  put: number[];
  /** For each variable all values that groups have for it, in the order in which they are merged. */
  values: string;
  /** The same if it were in all groups whose queries could find it, with these queries. */
  open: string;
}

function differs(before: Reach | undefined, now: Reach, changing: Changing): boolean {
  return !isSameNow(before, now, changing) || before?.open !== now.open;
}

function isSameNow(
  before: Reach | undefined,
  now: Reach,
  { mayReturn = false }: Changing,
): boolean {
  if (!before || before.values !== now.values) return false;
  const stays = before.put.every((group) => now.put.includes(group));
  return stays && (mayReturn || now.put.length <= before.put.length);
}

interface Member {
  id: number;
  put: number[];
  groups: string[];
  /** Those whose queries could find it. */
  open: Open[];
}

interface Open {
  name: string;
  query: string;
}

async function reachOf(tx: Transaction): Promise<Map<number, Reach>> {
  const members = await membersOf(tx);
  if (members.length === 0) return new Map();
  const groups = await groupsIn(tx);
  // Many hosts are in the same groups.
  const known = new Map<string, string>();
  const valuesOf = (direct: string[]) => {
    const key = JSON.stringify(direct);
    const values = known.get(key) ?? JSON.stringify(handedOn(upwards(groups, direct)));
    known.set(key, values);
    return values;
  };
  const openOf = (direct: string[], open: Open[]) => {
    const telling = open.filter(({ name }) => hasVars(groups, name));
    if (telling.length === 0) return "";
    const queries = telling.map(({ query }) => query);
    return JSON.stringify([valuesOf([...direct, ...telling.map(({ name }) => name)]), queries]);
  };
  return new Map(
    members.map(({ id, put, groups: direct, open }) => [
      id,
      { put, values: valuesOf(direct), open: openOf(direct, open) },
    ]),
  );
}

/** Whether it hands on anything that not every host gets. */
function hasVars(groups: Map<string, Group>, group: string): boolean {
  return upwards(groups, [group]).some(
    ({ name, vars }) => name !== ALL && Object.keys(vars).length > 0,
  );
}

function handedOn(groups: Group[]): unknown {
  return effective({ name: "", vars: {} }, groups).map(({ variable, value, overrode }) => [
    variable,
    ...overrode.map((one) => one.value),
    value,
  ]);
}

/** Those hosts, with the groups that they were put into and all that they are in directly, in one order. */
async function membersOf(tx: Transaction): Promise<Member[]> {
  const read = inside(tx);
  const [hosts] = await read<{ ids: string | null }>(sql`
    select array_agg(protected_host)::text as ids from (${protectedHosts()}) one`);
  if (!hosts?.ids) return [];
  const those = sql`${hosts.ids}::integer[]`;
  return read<Member>(sql`
    select one.id, coalesce(put.ids, '[]'::json) as put, coalesce(direct.names, '[]'::json) as groups,
      coalesce(open.groups, '[]'::json) as open
    from unnest(${those}) one (id)
      left join (select host_id, json_agg(group_id) as ids from group_hosts group by host_id) put on put.host_id = one.id
      left join (
        select member.host_id, json_agg(groups.name order by groups.name) as names
        from ${memberships(await strictQueries(read))} member join groups on groups.id = member.group_id
        where member.host_id = any(${those}) group by member.host_id
      ) direct on direct.host_id = one.id
      left join (
        select found.host_id, json_agg(json_build_object('name', name, 'query', query) order by name) as groups
        from ${foundBy(await openQueries(read))} found join groups on groups.id = found.group_id
        where found.host_id = any(${those}) group by found.host_id
      ) open on open.host_id = one.id`);
}

/** All groups by name. Values are texts, in which numbers differ that JavaScript takes for the same. */
async function groupsIn(tx: Transaction): Promise<Map<string, Group>> {
  const groups = await inside(tx)<Group>(sql`
    select name, coalesce((
        select json_object_agg(key, case key when ${PRIORITY} then value else to_jsonb(value::text) end)
        from jsonb_each(vars)), '{}'::json) as vars,
      coalesce((
        select json_agg(parent.name) from group_children join groups parent on parent.id = parent_id
        where child_id = groups.id), '[]'::json) as parents
    from groups`);
  return new Map(groups.map((group) => [group.name, group]));
}
