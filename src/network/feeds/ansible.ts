// The inventory as Ansible takes it from a script that is called with `--list`.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type GroupQuery, memberships, membersIn, queries } from "../groups/members.ts";
import { ALL } from "../variables/variables.ts";
import { namesFor, UNGROUPED } from "./ansible_names.ts";
import { hostVars } from "./ansible_vars.ts";
import type { Feed } from "./feed.ts";
import { feedQuery, filters } from "./parameters.ts";
import { select } from "./selection.ts";

const query = feedQuery({
  ...filters,
  names: Type.Union([Type.Literal("exact"), Type.Literal("safe")], {
    default: "exact",
    title: "Groups by their names, or by names of nothing but letters, digits and _",
    description: "Use exact or safe, once",
  }),
});

/** The filters choose hosts; of these all is told, and every group with those of them that are in it. */
export const ansible: Feed<typeof query> = {
  name: "ansible",
  type: "application/json",
  query,
  async make(caller, asked) {
    const { hosts } = await select(caller, asked);
    const chosen = await queries(database.rows);
    const groups = await groupsWith(chosen, hosts);
    const called = namesFor(groups, asked.names);
    // Everybody is under it, whatever it stands under here.
    const everything = groups.find(({ name }) => name === ALL) ?? NOTHING;
    const top = groups.filter((one) => one.is_top && one !== everything).map(({ id }) => id);
    const whole = { ...everything, children: [...new Set([...everything.children, ...top])] };
    const sections = groups
      .filter((one) => one !== everything)
      .map((one) => ({ ...one, children: one.children.filter((id) => id !== everything.id) }))
      .map((one) => entry(one, called));
    const text = [
      `{"_meta":{"hostvars":${await hostVars(hosts)}}`,
      entry(whole, (id) => (id === whole.id ? ALL : called(id))),
      `"${UNGROUPED}":{"hosts":${await ungrouped(chosen, hosts)}}`,
      ...sections,
    ].join(",");
    return () => `${text}}`;
  },
};

interface Group {
  id: number;
  name: string;
  /** JSON. */
  vars: string;
  children: number[];
  /** JSON. */
  hosts: string;
  is_top: boolean;
}

const NOTHING: Group = { id: 0, name: ALL, vars: "{}", children: [], hosts: "[]", is_top: true };

/** Even of a group without hosts the list is told: without it Ansible takes the group for a host. */
function entry(group: Group, called: (id: number) => string): string {
  const children = JSON.stringify(group.children.map(called));
  return `${JSON.stringify(called(group.id))}:{"hosts":${group.hosts},"children":${children},"vars":${group.vars}}`;
}

async function groupsWith(chosen: GroupQuery[], hosts: SQL): Promise<Group[]> {
  const rows = await database.rows<Omit<Group, "children"> & { children: string }>(sql`
    with joined as materialized (
      select group_id, json_agg(name order by name)::text as names
      from ${membersIn(chosen)} hosts where ${hosts} group by group_id
    )
    select groups.id, groups.name, groups.vars::text as vars, coalesce(joined.names, '[]') as hosts,
      coalesce((
        select json_agg(child.id order by child.name)
        from group_children link join groups child on child.id = link.child_id where link.parent_id = groups.id
      ), '[]')::text as children,
      not exists (select from group_children link where link.child_id = groups.id) as is_top
    from groups left join joined on joined.group_id = groups.id order by groups.name`);
  return rows.map((row) => ({ ...row, children: JSON.parse(row.children) }));
}

/** JSON. That a host is in the group of all puts it nowhere. */
async function ungrouped(chosen: GroupQuery[], hosts: SQL): Promise<string> {
  const found = await database.row<{ json: string }>(sql`
    with joined as materialized (
      select host_id from ${memberships(chosen)} member join groups on groups.id = member.group_id
      where groups.name <> ${ALL}
    )
    select coalesce(json_agg(hosts.name order by hosts.name), '[]')::text as json
    from hosts where ${hosts} and not exists (select from joined where joined.host_id = hosts.id)`);
  return found?.json ?? "[]";
}
