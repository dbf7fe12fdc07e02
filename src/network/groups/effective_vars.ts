// What groups make of hosts: the variables that each has in the end.
import { type Static, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { notFound } from "../../input/errors.ts";
import type { Read } from "../../store/read.ts";
import type { Found } from "../../store/records.ts";
import { ALL, effective, type Group, upwards, type Vars } from "../variables/variables.ts";
import { membersIn, queries } from "./members.ts";

const source = {
  group: Type.Union([Type.String(), Type.Null()]),
  host: Type.Union([Type.String(), Type.Null()], { description: "Its own variables" }),
};
const origin = Type.Object({
  ...source,
  overrode: Type.Array(Type.Object({ ...source, value: Type.Unknown() }), {
    description: "What it replaced, the first to be replaced first",
  }),
});
export const hostVars = Type.Object({
  name: Type.String(),
  vars: Type.Object({}, { additionalProperties: true }),
  origins: Type.Record(Type.String(), origin, {
    description: "Of each variable, the group or the host that it comes from",
  }),
});

export type HostVars = Omit<Static<typeof hostVars>, "vars"> & { vars: Vars };

export interface Member {
  id: number;
  name: string;
  version: number;
  vars: Vars;
  /** The groups that it is in directly. */
  groups: string[];
}

/** Hosts, and all groups that say something of them. */
export interface Picture {
  hosts: Member[];
  groups: Map<string, Group>;
}

/** Of those hosts that the caller may know of. */
export async function picture(read: Read, caller: Caller, which: SQL): Promise<Picture> {
  const chosen = await queries(read);
  const hosts = await read<Member>(sql`
    select hosts.id, hosts.name, hosts.version, hosts.automation_vars as vars, coalesce(put.groups, '[]'::json) as groups
    from hosts left join (
      select member.id, json_agg(groups.name) as groups
      from ${membersIn(chosen)} member join groups on groups.id = member.group_id group by member.id
    ) put on put.id = hosts.id
    where ${which} and ${mayKnowHost(caller, sql`hosts.id`)} order by hosts.name`);
  const names = [...new Set([ALL, ...hosts.flatMap(({ groups }) => groups)])];
  const groups = await read<Group>(sql`
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

/** The variables of one host, as Ansible would see them, and where each comes from. */
export async function varsOf(caller: Caller, id: number): Promise<Found<HostVars>> {
  const { hosts, groups } = await picture(database.rows, caller, sql`hosts.id = ${id}`);
  const [host] = hosts;
  if (!host) throw notFound();
  const { name, version } = host;
  const found = effective(host, upwards(groups, host.groups));
  const vars = Object.fromEntries(found.map(({ variable, value }) => [variable, value]));
  const origins = Object.fromEntries(
    found.map(({ variable, group, host: own, overrode }) => [
      variable,
      { group, host: own, overrode },
    ]),
  );
  return { json: JSON.stringify({ name, vars, origins }), version };
}
