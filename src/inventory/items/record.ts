// What an item says of itself: one row of items with the names around it.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { hiddenHosts, knownVersion, mayKnowHost } from "../../auth/visibility.ts";
import type { FieldSql } from "../../store/filters.ts";
import type { RecordQuery } from "../../store/records.ts";
import { reference, USER } from "../../store/reference.ts";
import { settled } from "../../store/static_sql.ts";
import { historyOf } from "./history.ts";
import { itemDocument } from "./search_document.ts";

const name = Type.Union([Type.String(), Type.Null()]);
const time = Type.String({ description: "YYYY-MM-DD HH:MM, UTC" });
const object = Type.Object({}, { additionalProperties: true });

/** A name, or with `recursive` the record behind it. */
const named = Type.Union([Type.String(), object, Type.Null()]);
const references = Type.Array(Type.Union([Type.String(), object]));

export const item = Type.Object({
  id: Type.Integer(),
  ics_id: Type.String(),
  serial_number: Type.String(),
  quantity: Type.Integer(),
  manufacturer: named,
  model: named,
  location: named,
  status: named,
  parent: named,
  children: references,
  macs: references,
  comments: references,
  host: named,
  stack_member: Type.Union([Type.Integer(), Type.Null()]),
  history: Type.Array(
    Type.Object({
      location: name,
      parent: name,
      quantity: Type.Integer(),
      status: name,
      updated_at: time,
    }),
    { description: "One entry per state, oldest first, the current one last" },
  ),
  user: named,
  created_at: time,
  updated_at: time,
});

/** What other records show of an item beside its id. */
export const IN_SHORT = { serial_number: "name", quantity: "integer" } as const;

export const itemResource = settled(madeFor);

function madeFor(caller: Caller): RecordQuery {
  return {
    from: from(caller),
    table: sql`items`,
    id: sql`items.id`,
    version: knownVersion(caller, { version: sql`items.version`, unseen: sql`items.unseen` }),
    fields: {
      id: { kind: "integer", column: sql`items.id` },
      ics_id: { kind: "code", column: sql`items.ics_id` },
      serial_number: { kind: "text", column: sql`items.serial_number` },
      quantity: { kind: "integer", column: sql`items.quantity` },
      ...attribute("manufacturer", sql`manufacturers`),
      ...attribute("model", sql`models`),
      ...attribute("location", sql`locations`),
      ...attribute("status", sql`statuses`),
      parent: reference({
        kind: "code",
        key: sql`items.parent_id`,
        table: sql`items parent`,
        id: sql`parent.id`,
        name: sql`parent.ics_id`,
        nested: brief(sql`parent`),
      }),
      parent_id: { kind: "integer", column: sql`items.parent_id`, hidden: true },
      children: shown(CHILDREN, CHILD_RECORDS),
      macs: shown(MACS, MAC_RECORDS),
      comments: shown(COMMENTS, COMMENT_RECORDS),
      ...mounted(caller),
      history: shown(HISTORY),
      user: reference({
        kind: "name",
        key: sql`items.updated_by`,
        table: sql`users`,
        id: sql`users.id`,
        name: sql`users.username`,
        nested: USER,
      }),
      user_id: { kind: "integer", column: sql`items.updated_by`, hidden: true },
      created_at: { kind: "time", column: sql`items.created_at` },
      updated_at: { kind: "time", column: sql`items.updated_at` },
    },
    document: itemDocument(caller),
    order: sql`items.created_at`,
  };
}

const HOST = sql`json_build_object('id', hosts.id, 'name', hosts.name, 'description', hosts.description)`;

/** What it is mounted on, where the caller may know of that. */
function mounted(caller: Caller): Record<string, FieldSql> {
  const to = {
    key: sql`items.host_id`,
    table: sql`hosts`,
    id: sql`hosts.id`,
    known: mayKnowHost(caller, sql`hosts.id`),
  };
  const absent = sql`hosts.id is null`;
  const host_id = reference({ ...to, kind: "integer", name: sql`hosts.id` });
  return {
    host: { ...reference({ ...to, kind: "text", name: sql`hosts.name`, nested: HOST }), absent },
    host_id: { ...host_id, absent, hidden: true },
    stack_member: {
      kind: "integer",
      column: sql`case when hosts.id is not null then items.stack_member end`,
      shown: sql`case when ${mayKnowHost(caller, to.key)} then items.stack_member end`,
      absent: sql`items.stack_member is null or ${absent}`,
    },
  };
}

// Whose host is hidden from this caller has none, to the order too. The hidden ones are found once for a whole list:
// `not exists` would keep the join where nothing is asked of it.
function from(caller: Caller): SQL {
  const hidden = hiddenHosts(caller);
  return sql`items
    left join manufacturers on manufacturers.id = items.manufacturer_id
    left join models on models.id = items.model_id
    left join locations on locations.id = items.location_id
    left join statuses on statuses.id = items.status_id
    left join items parent on parent.id = items.parent_id
    left join hosts on hosts.id = items.host_id and ${hidden ? sql`hosts.id not in (${hidden})` : sql`true`}
    left join users on users.id = items.updated_by`;
}

function attribute(field: string, table: SQL): Record<string, FieldSql> {
  const key = sql`items.${sql.identifier(`${field}_id`)}`;
  const [id, name] = [sql`${table}.id`, sql`${table}.name`];
  const nested = sql`json_build_object('id', ${id}, 'name', ${name}, 'description', ${table}.description)`;
  return {
    [field]: reference({ kind: "name", key, table, id, name, nested }),
    [`${field}_id`]: { kind: "integer", column: key, hidden: true },
  };
}

/** Part of the record, but nothing to filter or sort by. */
function shown(column: SQL, nested = column): FieldSql {
  return { kind: "value", column, nested };
}

function brief(table: SQL): SQL {
  return sql`json_build_object('id', ${table}.id, 'ics_id', ${table}.ics_id,
    'serial_number', ${table}.serial_number, 'quantity', ${table}.quantity)`;
}

function listOf(value: SQL, from: SQL): SQL {
  return sql`coalesce((select json_agg(${value} order by one.id) from ${from}), '[]'::json)`;
}

const CHILD = sql`items one where one.parent_id = items.id`;
const CHILDREN = listOf(sql`one.ics_id`, CHILD);
const CHILD_RECORDS = listOf(brief(sql`one`), CHILD);
const MAC = sql`macs one where one.item_id = items.id`;
const MACS = listOf(sql`one.address`, MAC);
const MAC_RECORDS = listOf(sql`json_build_object('id', one.id, 'address', one.address)`, MAC);
const COMMENT = sql`comments one where one.item_id = items.id`;
const COMMENTS = listOf(sql`one.body`, COMMENT);
const COMMENT_RECORDS = listOf(
  sql`json_build_object('id', one.id, 'body', one.body, 'created_at', shown(one.created_at))`,
  COMMENT,
);
const HISTORY = historyOf(sql`items.id`);
