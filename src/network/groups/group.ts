// The description of groups: a group has hosts, as static members or by a query, and variables for automation. The hosts
// of its children belong to it as well.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { device_types, group_children, groups, hosts } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, visibleVersion } from "../../auth/visibility.ts";
import { line, nullable } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import type { FieldSql } from "../../store/filters.ts";
import type { RecordQuery } from "../../store/records.ts";
import { type RowOf, recordQuery, recordQueryWith, resource } from "../../store/resource.ts";
import type { DataRule } from "../../store/rules.ts";
import * as shapes from "../common/shapes.ts";
import { FOUND_BY_QUERY } from "./kind.ts";
import { type GroupQuery, membersIn, namedMembersIn } from "./members.ts";

export const MOST_HOSTS = 10_000;
export const MOST_CHILDREN = 1_000;
const LONGEST_QUERY = 256;

/** Browsers and proxies resolve . and .. in a path, so a group of such a name would have no page. */
const GROUP_NAME = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^(?!\\.{1,2}$)[^\\n\\r\\t]*$",
  description: "Use 1 to 100 characters on one line, but not . or .. alone",
});
const TYPE = Type.Union([Type.Literal("static"), Type.Literal("query")], {
  description: "Use static or query",
});

const NO_CYCLE: DataRule = {
  on: { group_children: ["parent_id", "child_id"] },
  lock: "groups",
  tellsOf: "its records",
  // In SQL: the builder has no recursive queries.
  broken: (touched) => sql`
    with recursive below as (
      select id, parent_id, child_id, child_id as reached from group_children where ${touched("group_children", sql`id`)}
      union select below.id, below.parent_id, below.child_id, link.child_id
        from group_children link join below on link.parent_id = below.reached
    )
    select parent.name as record, child.name as child
    from below join groups parent on parent.id = below.parent_id join groups child on child.id = below.child_id
    where below.reached = below.parent_id order by child.name`,
  refuse: ({ child }) => ({
    field: "children",
    message: `'${child}' contains this group already`,
    code: "inside_itself",
  }),
};

const NO_MEMBERS_OF_QUERIES: DataRule = {
  on: { groups: ["type"], group_hosts: ["group_id"] },
  tellsOf: "its records",
  // Hidden members of a group that gets a query are removed; a refusal would betray them.
  broken: (touched, caller) => sql`
    select groups.name as record from groups
    where type = 'query' and exists (
      select from group_hosts where group_id = groups.id and ${mayKnowHost(caller, sql`host_id`)}
        and (${touched("group_hosts", sql`group_hosts.id`)} or ${touched("groups", sql`groups.id`)}))`,
  refuse: () => ({ field: "hosts", message: FOUND_BY_QUERY }),
};

export const group = resource({
  noun: "group",
  path: "/network/groups",
  table: groups,
  key: "name",
  page: (name) => `/network/groups/view/${name}`,
  editors: ["network", "admin"],
  // A query can be about the items of hosts.
  crosses: { into: "inventory", reading: ["query"] },
  order: sql`lower(groups.name)`,
  rules: [NO_CYCLE, NO_MEMBERS_OF_QUERIES],
  version: (caller) => visibleVersion(caller, sql`groups`),
  fields: {
    name: fields.name({ label: "Name", input: GROUP_NAME, required: true }),
    type: fields.choice({ label: "Type", input: TYPE }),
    query: fields.text({
      label: "Query",
      input: nullable(line(LONGEST_QUERY)),
      search: "keyword",
    }),
    vars: fields.json({ label: "Variables", input: shapes.VARIABLES }),
    children: fields.hasMany({
      label: "Children",
      kind: "name",
      table: groups,
      key: "parent_id",
      through: { table: group_children, to: "child_id" },
      singular: "child",
      nested: { type: "label" },
      input: Type.Array(line(100), {
        maxItems: MOST_CHILDREN,
        description: shapes.GROUP_NAMES_RULE,
      }),
    }),
    ...membersOf([]),
    ...fields.stamps(),
    parents: fields.hidden(
      fields.hasMany({
        label: "Parents",
        kind: "name",
        table: groups,
        key: "child_id",
        through: { table: group_children, to: "parent_id" },
      }),
    ),
  },
  /** Counts changes that are visible only to admins and auditors. */
  internal: ["unseen"],
  search: {
    aliases: { host: ["hosts"], child: ["children"] },
    // Read from the table at each search, without an index: there are only hundreds of groups.
    variables: {
      path: "vars",
      id: sql`groups.id`,
      from: sql`groups cross join lateral (
          select path, jsonb_typeof(value) as kind, value #>> '{}' as content from values_in(groups.vars)
        ) variable where true`,
      name: sql`variable.path`,
      text: sql`case when variable.kind = 'string' then left(lower(variable.content collate names), 1000) end`,
      number: sql`case when variable.kind = 'number' then variable.content::numeric end`,
      truth: sql`case when variable.kind = 'boolean' then variable.content::boolean end`,
    },
  },
  history: {
    hidesChange: () =>
      sql`(action = 'update' and before - 'unseen' = after - 'unseen' and before <> after)`,
  },
});

export type Group = RowOf<typeof group>;

/** Reads groups with their static members and the hosts that these queries find. */
export function groupQuery(caller: Caller, queries: GroupQuery[]): RecordQuery<Group> {
  return queries.length === 0
    ? recordQuery(group, caller)
    : recordQueryWith(group, caller, membersOf(queries));
}

function membersOf(queries: GroupQuery[]) {
  const rows = membersIn(queries);
  const named = ({ id, caller }: fields.FieldContext) =>
    sql`${namedMembersIn(queries)} one where one.group_id = ${id} and ${visible(caller)}`;
  const visible = (caller: Caller, one = sql`one`) => mayKnowHost(caller, sql`${one}.id`);
  const count: fields.Field<number, undefined, undefined> = {
    label: "Hosts",
    // Not sortable: that would count the hosts of all groups.
    kind: "value",
    schema: undefined,
    create: undefined,
    change: undefined,
    query: (at) => ({
      [at.name]: { kind: "value", column: sql`(select count(*)::int from ${named(at)})` },
    }),
    sources: () => [],
  };
  const members = fields.hasMany({
    label: "Hosts",
    kind: "label",
    table: hosts,
    rows,
    key: "group_id",
    singular: "host",
    nested: {
      description: "text",
      is_ioc: "boolean",
      device_type: { kind: "name", table: device_types },
    },
    input: Type.Array(line(63), {
      maxItems: MOST_HOSTS,
      description: "Use a list of names of hosts",
    }),
    visible,
  });
  return {
    hosts: {
      ...members,
      query: (at: fields.FieldContext) => {
        const query = members.query(at);
        const { recordValue } = fields.listed({
          kind: "label",
          name: sql`one.name`,
          from: named(at),
        });
        return { ...query, [at.name]: { ...query[at.name], recordValue } as FieldSql };
      },
    },
    host_count: fields.hidden(count),
  };
}
