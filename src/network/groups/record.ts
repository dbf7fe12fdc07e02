// What a group says of itself.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { knownVersion, mayKnowHost } from "../../auth/visibility.ts";
import type { RecordQuery } from "../../store/records.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import * as shapes from "../common/shapes.ts";
import { membersIn, type Query } from "./members.ts";
import { groupDocument } from "./search_document.ts";

export const TYPE = Type.Union([Type.Literal("static"), Type.Literal("query")], {
  description: "Use static or query",
});

export const group = Type.Object({
  id: Type.Integer(),
  name: shapes.text,
  type: TYPE,
  query: shapes.textOrNull,
  vars: Type.Object({}, { additionalProperties: true }),
  children: shapes.references,
  hosts: shapes.references,
  ...shapes.edited,
});

/** With the queries of all groups that have one, whose hosts are those that it finds now. */
export function groupResource(caller: Caller, chosen: Query[] = []): RecordQuery {
  const members = sql`${membersIn(chosen)} hosts
    where hosts.group_id = groups.id and ${mayKnowHost(caller, sql`hosts.id`)}`;
  return {
    from: sql`groups`,
    id: sql`groups.id`,
    version: knownVersion(caller, { version: sql`groups.version`, unseen: sql`groups.unseen` }),
    fields: {
      id: { kind: "integer", column: sql`groups.id` },
      name: { kind: "name", column: sql`groups.name` },
      type: { kind: "label", column: sql`groups.type` },
      query: { kind: "text", column: sql`groups.query` },
      vars: { kind: "value", column: sql`groups.vars` },
      child_id: keyAmong(sql`child.id`, CHILDREN),
      children: many({
        kind: "name",
        name: sql`child.name`,
        from: CHILDREN,
        nested: sql`json_build_object('id', child.id, 'name', child.name, 'type', child.type)`,
      }),
      parents: {
        ...many({
          kind: "name",
          name: sql`parent.name`,
          from: sql`group_children link join groups parent on parent.id = link.parent_id
            where link.child_id = groups.id`,
        }),
        hidden: true,
      },
      host_id: keyAmong(sql`hosts.id`, members),
      hosts: many({ kind: "label", name: sql`hosts.name`, from: members, nested: HOST }),
      // Told of a page of groups; to sort all of them by it would mean to ask for the hosts of all.
      host_count: {
        kind: "value",
        column: sql`(select count(*)::int from ${members})`,
        hidden: true,
      },
      ...edited(sql`groups`),
    },
    document: groupDocument(caller, membersIn(chosen)),
    order: sql`lower(groups.name)`,
  };
}

const CHILDREN = sql`group_children link join groups child on child.id = link.child_id
  where link.parent_id = groups.id`;
const HOST = sql`json_build_object('id', hosts.id, 'name', hosts.name, 'description', hosts.description,
  'is_ioc', hosts.is_ioc, 'device_type', (select name from device_types where id = hosts.device_type_id))`;
