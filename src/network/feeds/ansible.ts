// The inventory as an Ansible inventory script prints it for `--list`.
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
    title: "Exact group names (exact), or only letters, digits and _ (safe)",
    description: "Use exact or safe, once",
  }),
});

/** The hosts that the filters select with all their variables, and every group with its members among them. */
export const ansible: Feed<typeof query> = {
  name: "ansible",
  type: "application/json",
  query,
  async make(caller, query) {
    const selection = await select(caller, query);
    const { hosts } = selection;
    const queried = await queries(database.rows);
    const groups = await groupsWith(queried, hosts);
    const nameOf = namesFor(groups, query.names);
    // Every host is in `all`, whatever groups contain it here.
    const groupAll = groups.find(({ name }) => name === ALL) ?? EMPTY;
    const top = groups.filter((one) => one.is_top && one !== groupAll).map(({ id }) => id);
    const whole = { ...groupAll, children: [...new Set([...groupAll.children, ...top])] };
    const sections = groups
      .filter((one) => one !== groupAll)
      .map((one) => ({ ...one, children: one.children.filter((id) => id !== groupAll.id) }))
      .map((one) => groupJson(one, nameOf));
    const parts = [
      groupJson(whole, (id) => (id === whole.id ? ALL : nameOf(id))),
      `"${UNGROUPED}":{"hosts":${await ungrouped(queried, hosts)}}`,
      ...sections,
    ].join(",");
    const text = `{"_meta":{"hostvars":${await hostVars(selection)}},${parts}}`;
    return () => text;
  },
};

interface AnsibleGroup {
  id: number;
  name: string;
  /** JSON. */
  vars: string;
  children: number[];
  /** JSON. */
  hosts: string;
  is_top: boolean;
}

const EMPTY: AnsibleGroup = {
  id: 0,
  name: ALL,
  vars: "{}",
  children: [],
  hosts: "[]",
  is_top: true,
};

/** Includes the list of hosts even if it is empty: without it Ansible would read the group as a host. */
function groupJson(group: AnsibleGroup, called: (id: number) => string): string {
  const children = JSON.stringify(group.children.map(called));
  return `${JSON.stringify(called(group.id))}:{"hosts":${group.hosts},"children":${children},"vars":${group.vars}}`;
}

async function groupsWith(chosen: GroupQuery[], hosts: SQL): Promise<AnsibleGroup[]> {
  // In SQL: the JSON of a group is built by PostgreSQL.
  const rows = await database.rows<Omit<AnsibleGroup, "children"> & { children: string }>(sql`
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

/** JSON. Membership in `all` does not count. */
async function ungrouped(chosen: GroupQuery[], hosts: SQL): Promise<string> {
  // In SQL: memberships come from the queries of groups, as a subselect.
  const found = await database.row<{ json: string }>(sql`
    with joined as materialized (
      select host_id from ${memberships(chosen)} member join groups on groups.id = member.group_id
      where groups.name <> ${ALL}
    )
    select coalesce(json_agg(hosts.name order by hosts.name), '[]')::text as json
    from hosts where ${hosts} and not exists (select from joined where joined.host_id = hosts.id)`);
  return found?.json ?? "[]";
}
