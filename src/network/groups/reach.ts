// Protects the groups and inherited variables of protected hosts: a change of groups by anybody but an admin must not
// affect them. The change is made, and refused if a protected host is in other groups afterwards or inherits other
// variables. This includes the variables that it would inherit from groups whose queries could find it without an
// admin: a change of items, or time alone, could otherwise add it to such a group.
import { sql } from "drizzle-orm";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid, type Refusal, unavailableValue } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import { protectedHosts } from "../../store/may_edit.ts";
import { judge } from "../../store/rules.ts";
import type { Transaction } from "../../store/write.ts";
import {
  ALL,
  effective,
  PRIORITY,
  type VariableGroup,
  withAncestors,
} from "../variables/variables.ts";
import { matchesOf, memberships, openQueries, strictQueries } from "./members.ts";

interface GroupChange {
  /** The name and the field that a refusal mentions. */
  group: string;
  field: string;
  /** Whether hosts may be added to groups: undo restores the members of a deleted group. */
  mayReturn?: boolean;
}

/**
 * Runs a change of groups. The refusal is the same for visible and hidden hosts, and counts as a probe. Such changes are
 * serialised: two of them might each be harmless without the other.
 */
export async function protectReach<T>(
  tx: Transaction,
  caller: Caller,
  changing: GroupChange,
  work: () => Promise<T>,
): Promise<T> {
  if (isAdmin(caller)) return work();
  await refuseProbing(caller);
  await advisoryLock(tx, "groups");
  const before = await reachOf(tx, caller);
  const done = await work();
  // Circles would have no reach.
  await judge(tx, caller);
  const now = await reachOf(tx, caller);
  const touched = [...now].filter(([host, reach]) => differs(before.get(host), reach, changing));
  if (touched.length === 0) return done;
  const isOpen = touched.every(([host, reach]) => isSameNow(before.get(host), reach, changing));
  throw await refusal(tx, caller, { ...changing, isOpen, hosts: touched.map(([host]) => host) });
}

/** Every host is in the group `all`, so only admins create, change or delete it, or make it a child of another. */
export function refuseChangeOfAll(caller: Caller, field: string, names: string[]): void {
  if (isAdmin(caller) || !names.some((name) => name.toLowerCase() === ALL)) return;
  throw invalid(field, `The group '${ALL}' is for admins`);
}

async function refusal(
  tx: Transaction,
  caller: Caller,
  { group, field, isOpen, hosts }: GroupChange & { isOpen: boolean; hosts: number[] },
): Promise<Refusal> {
  const [known] = await tx.execute(sql`
    select from unnest(${integers(hosts)}) host (id) where ${mayKnowHost(caller, sql`host.id`)} limit 1`);
  const message = `Only admins may make this change to the group '${group}'${isOpen ? OPEN : ""}`;
  return unavailableValue(field, message, { value: group, isHidden: !known });
}

const OPEN =
  ": a query on items, models, the current time or words without a field can match other hosts later";

interface HostReach {
  /** The ids of groups that have the host as a static member. */
  assigned: number[];
  /** For each variable all values that groups set, in merge order. */
  values: string;
  /** The same if the host were in all groups whose queries could find it, with those queries. */
  open: string;
}

function differs(before: HostReach | undefined, now: HostReach, changing: GroupChange): boolean {
  return !isSameNow(before, now, changing) || before?.open !== now.open;
}

function isSameNow(
  before: HostReach | undefined,
  now: HostReach,
  { mayReturn = false }: GroupChange,
): boolean {
  if (!before || before.values !== now.values) return false;
  const stays = before.assigned.every((group) => now.assigned.includes(group));
  return stays && (mayReturn || now.assigned.length <= before.assigned.length);
}

interface ProtectedHost {
  id: number;
  assigned: number[];
  groups: string[];
  /** Groups whose queries could find it. */
  open: OpenGroup[];
}

interface OpenGroup {
  name: string;
  query: string;
}

async function reachOf(tx: Transaction, caller: Caller): Promise<Map<number, HostReach>> {
  const members = await membersOf(tx, caller);
  if (members.length === 0) return new Map();
  const groups = await groupsIn(tx);
  // A cache: many hosts are in the same groups.
  const known = new Map<string, string>();
  const valuesOf = (direct: string[]) => {
    const key = JSON.stringify(direct);
    const values =
      known.get(key) ?? JSON.stringify(valuesByVariable(withAncestors(groups, direct)));
    known.set(key, values);
    return values;
  };
  const openOf = (direct: string[], open: OpenGroup[]) => {
    const withVars = open.filter(({ name }) => hasVars(groups, name));
    if (withVars.length === 0) return "";
    const queries = withVars.map(({ query }) => query);
    return JSON.stringify([valuesOf([...direct, ...withVars.map(({ name }) => name)]), queries]);
  };
  return new Map(
    members.map(({ id, assigned, groups: direct, open }) => [
      id,
      { assigned, values: valuesOf(direct), open: openOf(direct, open) },
    ]),
  );
}

/** Whether the group passes on variables that are not those of `all`. */
function hasVars(groups: Map<string, VariableGroup>, group: string): boolean {
  return withAncestors(groups, [group]).some(
    ({ name, vars }) => name !== ALL && Object.keys(vars).length > 0,
  );
}

function valuesByVariable(groups: VariableGroup[]): unknown {
  return effective({ name: "", vars: {} }, groups).map(({ variable, value, overrode }) => [
    variable,
    ...overrode.map((one) => one.value),
    value,
  ]);
}

/** The protected hosts with their static groups and all their direct groups, in a fixed order. */
async function membersOf(tx: Transaction, caller: Caller): Promise<ProtectedHost[]> {
  const read = tx.execute;
  const [hosts] = await read<{ ids: string | null }>(sql`
    select array_agg(protected_host)::text as ids from (${protectedHosts()}) one`);
  if (!hosts?.ids) return [];
  const those = sql`${hosts.ids}::integer[]`;
  // In SQL: memberships come from the queries of groups, as a subselect.
  return read<ProtectedHost>(sql`
    select one.id, coalesce(put.ids, '[]'::json) as assigned, coalesce(direct.names, '[]'::json) as groups,
      coalesce(open.groups, '[]'::json) as open
    from unnest(${those}) one (id)
      left join (select host_id, json_agg(group_id) as ids from group_hosts group by host_id) put on put.host_id = one.id
      left join (
        select member.host_id, json_agg(groups.name order by groups.name) as names
        from ${memberships(await strictQueries(caller, read))} member join groups on groups.id = member.group_id
        where member.host_id = any(${those}) group by member.host_id
      ) direct on direct.host_id = one.id
      left join (
        select found.host_id, json_agg(json_build_object('name', name, 'query', query) order by name) as groups
        from ${matchesOf(await openQueries(caller, read))} found join groups on groups.id = found.group_id
        where found.host_id = any(${those}) group by found.host_id
      ) open on open.host_id = one.id`);
}

/** All groups by name. Values are compared as text: JavaScript would treat some different numbers as equal. */
async function groupsIn(tx: Transaction): Promise<Map<string, VariableGroup>> {
  // In SQL: variables are compared as text inside JSON.
  const groups = await tx.execute<VariableGroup>(sql`
    select name, coalesce((
        select json_object_agg(key, case key when ${PRIORITY} then value else to_jsonb(value::text) end)
        from jsonb_each(vars)), '{}'::json) as vars,
      coalesce((
        select json_agg(parent.name) from group_children join groups parent on parent.id = parent_id
        where child_id = groups.id), '[]'::json) as parents
    from groups`);
  return new Map(groups.map((group) => [group.name, group]));
}
