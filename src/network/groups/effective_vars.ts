// The effective variables of hosts: their own merged with those of their groups.

import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { notFound } from "../../input/errors.ts";
import type { Read } from "../../store/read.ts";
import type { RecordJson } from "../../store/records.ts";
import { ownVars } from "../variables/host_vars.ts";
import {
  ALL,
  effective,
  type VariableGroup,
  type Vars,
  withAncestors,
} from "../variables/variables.ts";
import { membersIn, queries } from "./members.ts";

const source = {
  group: Type.Union([Type.String(), Type.Null()]),
  host: Type.Union([Type.String(), Type.Null()], { description: "Its own variables" }),
};
const origin = Type.Object({
  ...source,
  overrode: Type.Array(Type.Object({ ...source, value: Type.Unknown() }), {
    description: "The overridden values, first one first",
  }),
});
export const hostVars = Type.Object({
  name: Type.String(),
  vars: Type.Object({}, { additionalProperties: true }),
  origins: Type.Record(Type.String(), origin, {
    description: "For each variable, the group or host that sets it",
  }),
});

export type HostVars = Omit<Static<typeof hostVars>, "vars"> & { vars: Vars };

export interface HostWithVars {
  id: number;
  name: string;
  version: number;
  vars: Vars;
  /** The names of the groups that it is a direct member of. */
  groups: string[];
}

/** Hosts, and all groups that they inherit variables from. */
export interface MergedState {
  hosts: HostWithVars[];
  groups: Map<string, VariableGroup>;
}

/** Only hosts that are visible to the caller. */
export async function readState(read: Read, caller: Caller, which: SQL): Promise<MergedState> {
  const queried = await queries(caller, read);
  // In SQL: memberships come from the queries of groups, as a subselect.
  const hosts = await read<HostWithVars>(sql`
    select hosts.id, hosts.name, hosts.version, ${ownVars(caller)} as vars, coalesce(put.groups, '[]'::json) as groups
    from hosts left join (
      select member.id, json_agg(groups.name) as groups
      from ${membersIn(queried)} member join groups on groups.id = member.group_id group by member.id
    ) put on put.id = hosts.id
    where ${which} and ${mayKnowHost(caller, sql`hosts.id`)} order by hosts.name`);
  const names = [...new Set([ALL, ...hosts.flatMap(({ groups }) => groups)])];
  // In SQL: the builder has no recursive queries.
  const groups = await read<VariableGroup>(sql`
    with recursive above as (
      select id from groups where name = any(${sql.param(names)}::text[])
      union select parent_id from group_children join above on child_id = above.id
    )
    select name, vars, coalesce((
      select json_agg(parent.name) from group_children join groups parent on parent.id = parent_id
      where child_id = groups.id), '[]'::json) as parents
    from groups join above using (id)`);
  return { hosts, groups: new Map(groups.map((group) => [group.name, group])) };
}

/** The variables of one host as Ansible merges them, and the source of each. */
export async function varsOf(caller: Caller, id: number): Promise<RecordJson<HostVars>> {
  const { hosts, groups } = await readState(database.rows, caller, sql`hosts.id = ${id}`);
  const [host] = hosts;
  if (!host) throw notFound();
  const { name, version } = host;
  const found = effective(host, withAncestors(groups, host.groups));
  const vars = Object.fromEntries(found.map(({ variable, value }) => [variable, value]));
  const origins = Object.fromEntries(
    found.map(({ variable, group, host: own, overrode }) => [
      variable,
      { group, host: own, overrode },
    ]),
  );
  return { json: JSON.stringify({ name, vars, origins }), version };
}
