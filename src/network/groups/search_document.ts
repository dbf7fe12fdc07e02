// What of a group can be found, and where it is kept, as far as the caller may know of its hosts.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  editedSources,
  nestedIn,
  type SearchDocument,
  type SearchSource,
  sourcesIn,
} from "../../search/document.ts";

const GROUP = sql`groups.id`;
const CHILDREN = {
  id: sql`link.parent_id`,
  from: sql`group_children link join groups subgroup on subgroup.id = link.child_id where true`,
};

/** `members` are hosts with the `group_id` of each group that they are in. */
export function groupDocument(caller: Caller, members: SQL): SearchDocument {
  const known = sql`${members} member join device_types on device_types.id = member.device_type_id
    where ${mayKnowHost(caller, sql`member.id`)}`;
  const hosts = { id: sql`member.group_id`, from: known };
  return {
    id: GROUP,
    all: sql`groups`,
    aliases: { host: ["hosts"], child: ["children"] },
    sources: [
      ...SOURCES,
      ...sourcesIn(hosts, { hosts: ["label", sql`member.name`] }),
      ...nestedIn(hosts, "hosts", {
        id: ["number", sql`member.id`],
        name: ["label", sql`member.name`],
        description: ["text", sql`member.description`],
        is_ioc: ["boolean", sql`member.is_ioc`],
        device_type: ["keyword", sql`device_types.name`],
      }),
    ],
    variables: VARIABLES,
  };
}

const SOURCES: readonly SearchSource[] = [
  ...sourcesIn(
    { id: GROUP, from: sql`groups where true` },
    {
      name: ["keyword", sql`groups.name`],
      type: ["label", sql`groups.type`],
      query: ["keyword", sql`groups.query`],
    },
  ),
  ...sourcesIn(CHILDREN, { children: ["keyword", sql`subgroup.name`] }),
  ...nestedIn(CHILDREN, "children", {
    id: ["number", sql`subgroup.id`],
    name: ["keyword", sql`subgroup.name`],
    type: ["label", sql`subgroup.type`],
  }),
  ...editedSources(sql`groups`),
];

// Taken apart while one asks: of groups there are hundreds, not a hundred thousand.
const VARIABLES = {
  path: "vars",
  id: GROUP,
  from: sql`groups cross join lateral (
      select path, jsonb_typeof(value) as kind, value #>> '{}' as told from values_in(groups.vars)
    ) variable where true`,
  name: sql`variable.path`,
  text: sql`case when variable.kind = 'string' then left(lower(variable.told collate names), 1000) end`,
  number: sql`case when variable.kind = 'number' then variable.told::numeric end`,
  truth: sql`case when variable.kind = 'boolean' then variable.told::boolean end`,
};
