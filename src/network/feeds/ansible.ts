// The inventory as an Ansible inventory script prints it for `--list`.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { memberships, queries } from "../groups/members.ts";
import { ALL } from "../variables/variables.ts";
import { freeColumns, hostsOf, type Integers, interfacesOf } from "./ansible_columns.ts";
import { namesFor, UNGROUPED } from "./ansible_names.ts";
import { appendHostVars } from "./ansible_vars.ts";
import {
  append,
  appendText,
  appendValue,
  type ColumnBytes,
  encodeText,
  type Output,
  output,
  written,
} from "./bytes.ts";
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

/** As many as usual: with fewer, the text is copied while it grows. */
const [HOST_BYTES, INTERFACE_BYTES] = [200, 260];
const BETWEEN_NAMES = encodeText('", "');
const NOWHERE = -1;

/** The hosts that the filters select with all their variables, and every group with its members among them. */
export const ansible: Feed<typeof query> = {
  name: "ansible",
  type: "application/json",
  query,
  async make(caller, query) {
    const selection = await select(caller, query);
    const hosts = await hostsOf(caller, selection.hosts);
    const interfaces = await interfacesOf(selection.ofHosts);
    const groups = await groupsWith(caller, hosts.ids);
    const nameOf = namesFor(groups, query.names);
    // Every host is in `all`, whatever groups contain it here.
    const groupAll = groups.find(({ name }) => name === ALL) ?? EMPTY;
    const top = groups.filter((one) => one.is_top && one !== groupAll).map(({ id }) => id);
    const whole = { ...groupAll, children: [...new Set([...groupAll.children, ...top])] };
    const to = output(hosts.ids.length * HOST_BYTES + interfaces.ids.length * INTERFACE_BYTES);
    const appendGroup = (one: AnsibleGroup, called: (id: number) => string) => {
      appendText(to, `,${JSON.stringify(called(one.id))}:{"hosts":`);
      appendNames(to, hosts.names, one.hosts);
      appendText(to, `,"children":${JSON.stringify(one.children.map(called))},"vars":${one.vars}}`);
    };
    appendText(to, '{"_meta":{"hostvars":');
    await appendHostVars(to, hosts, interfaces);
    appendText(to, "}");
    appendGroup(whole, (id) => (id === whole.id ? ALL : nameOf(id)));
    appendText(to, `,"${UNGROUPED}":{"hosts":`);
    appendNames(to, hosts.names, ungrouped(hosts.ids.length, groups));
    appendText(to, "}");
    for (const one of groups.filter((each) => each !== groupAll)) {
      const children = one.children.filter((id) => id !== groupAll.id);
      // Includes the list of hosts even if it is empty: without it Ansible would read the group as a host.
      appendGroup({ ...one, children }, nameOf);
    }
    appendText(to, "}");
    freeColumns(hosts);
    freeColumns(interfaces);
    const text = written(to);
    return () => text;
  },
};

interface AnsibleGroup {
  id: number;
  name: string;
  /** JSON. */
  vars: string;
  children: number[];
  /** Places in the columns of hosts, in order. */
  hosts: Int32Array;
  is_top: boolean;
}

const EMPTY: AnsibleGroup = {
  id: 0,
  name: ALL,
  vars: "{}",
  children: [],
  hosts: new Int32Array(),
  is_top: true,
};

/** JSON, as PostgreSQL writes it. */
function appendNames(to: Output, names: ColumnBytes, places: Int32Array): void {
  appendText(to, places.length === 0 ? "[" : '["');
  places.forEach((place, at) => {
    if (at > 0) append(to, BETWEEN_NAMES);
    appendValue(to, names, place);
  });
  appendText(to, places.length === 0 ? "]" : '"]');
}

interface AnsibleGroupRow extends Omit<AnsibleGroup, "children" | "hosts"> {
  /** JSON. */
  children: string;
  /** Ids, hidden and unselected ones too. */
  members: Integers | null;
}

/** With their members among the hosts that have these ids. */
async function groupsWith(caller: Caller, hosts: Int32Array): Promise<AnsibleGroup[]> {
  const queried = await queries(caller, database.rows);
  // In SQL: memberships come from the queries of groups, as a subselect.
  const rows = await database.rows<AnsibleGroupRow>(sql`
    with joined as materialized (
      select group_id, array_agg(host_id) as members from ${memberships(queried)} member group by group_id
    )
    select groups.id, groups.name, groups.vars::text as vars, joined.members,
      coalesce((
        select json_agg(child.id order by child.name)
        from group_children link join groups child on child.id = link.child_id where link.parent_id = groups.id
      ), '[]')::text as children,
      not exists (select from group_children link where link.child_id = groups.id) as is_top
    from groups left join joined on joined.group_id = groups.id order by groups.name`);
  const placeOf = new Map<number, number>();
  hosts.forEach((id, place) => {
    placeOf.set(id, place);
  });
  return rows.map(({ members, children, ...row }) => ({
    ...row,
    children: JSON.parse(children),
    hosts: new Int32Array(members ?? [])
      .map((id) => placeOf.get(id) ?? NOWHERE)
      .filter((place) => place !== NOWHERE)
      .sort(),
  }));
}

/** The places of all hosts that are in no group. Membership in `all` does not count. */
function ungrouped(count: number, groups: AnsibleGroup[]): Int32Array {
  const isGrouped = new Uint8Array(count);
  for (const { name, hosts } of groups) {
    if (name !== ALL) for (const place of hosts) isGrouped[place] = 1;
  }
  return new Int32Array(count).map((_, place) => place).filter((place) => isGrouped[place] === 0);
}
