// What an item says of itself: one row of items with the names around it.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "../auth.ts";
import type { Field } from "../filter.ts";
import type { Resource } from "../records.ts";
import { matchingIn } from "../search/matching.ts";
import { settled } from "../settled.ts";
import { itemDocument } from "./item_document.ts";

const name = Type.Union([Type.String(), Type.Null()]);
const time = Type.String({ description: "YYYY-MM-DD HH:MM, UTC" });
const object = Type.Object({}, { additionalProperties: true });

/** A name, or with `recursive` the record behind it. */
const reference = Type.Union([Type.String(), object, Type.Null()]);
const references = Type.Array(Type.Union([Type.String(), object]));

export const item = Type.Object({
  id: Type.Integer(),
  ics_id: Type.String(),
  serial_number: Type.String(),
  quantity: Type.Integer(),
  manufacturer: reference,
  model: reference,
  location: reference,
  status: reference,
  parent: reference,
  children: references,
  macs: references,
  comments: references,
  host: name,
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
  user: name,
  created_at: time,
  updated_at: time,
});

export const itemResource = settled(madeFor);

function madeFor(caller: Caller): Resource {
  return {
    from: from(caller),
    id: sql`items.id`,
    version: sql`items.version`,
    fields: {
      id: { kind: "integer", column: sql`items.id` },
      ics_id: { kind: "code", column: sql`items.ics_id` },
      serial_number: { kind: "text", column: sql`items.serial_number` },
      quantity: { kind: "integer", column: sql`items.quantity` },
      ...attribute("manufacturer", sql`manufacturers`),
      ...attribute("model", sql`models`),
      ...attribute("location", sql`locations`),
      ...attribute("status", sql`statuses`),
      parent: {
        kind: "code",
        column: sql`parent.ics_id`,
        nested: brief(sql`parent`),
        absent: sql`items.parent_id is null`,
      },
      parent_id: { kind: "integer", column: sql`items.parent_id`, hidden: true },
      children: shown(CHILDREN, CHILD_RECORDS),
      macs: shown(MACS, MAC_RECORDS),
      comments: shown(COMMENTS, COMMENT_RECORDS),
      host: { kind: "text", column: sql`hosts.name`, absent: sql`hosts.id is null` },
      host_id: {
        kind: "integer",
        column: sql`hosts.id`,
        hidden: true,
        absent: sql`hosts.id is null`,
      },
      stack_member: {
        kind: "integer",
        column: sql`case when hosts.id is not null then items.stack_member end`,
        absent: sql`items.stack_member is null or hosts.id is null`,
      },
      history: shown(HISTORY),
      user: {
        kind: "name",
        column: sql`users.username`,
        absent: sql`items.updated_by is null`,
      },
      created_at: { kind: "time", column: sql`items.created_at` },
      updated_at: { kind: "time", column: sql`items.updated_at` },
    },
    matching: (text) => matchingIn(itemDocument(caller), text),
    order: sql`items.created_at`,
  };
}

/** Whose host is hidden from this caller has none, to the filters too. */
function from(caller: Caller): SQL {
  return sql`items
    left join manufacturers on manufacturers.id = items.manufacturer_id
    left join models on models.id = items.model_id
    left join locations on locations.id = items.location_id
    left join statuses on statuses.id = items.status_id
    left join items parent on parent.id = items.parent_id
    left join hosts on hosts.id = items.host_id and ${seesAll(caller) ? sql`true` : sql`hosts.id not in (${HIDDEN})`}
    left join users on users.id = items.updated_by`;
}

// Found once for a whole list, and a join that nothing is asked of is left out, which `not exists` prevents.
const HIDDEN = sql`
  select interfaces.host_id from interfaces join networks on networks.id = interfaces.network_id where networks.sensitive`;

export function mayKnowHost(caller: Caller, host: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not is_sensitive_host(${host})`;
}

function attribute(name: string, table: SQL): Record<string, Field> {
  const id = sql`items.${sql.identifier(`${name}_id`)}`;
  const nested = sql`case when ${id} is not null then
    json_build_object('id', ${table}.id, 'name', ${table}.name, 'description', ${table}.description) end`;
  return {
    [name]: { kind: "name", column: sql`${table}.name`, nested, absent: sql`${id} is null` },
    [`${name}_id`]: { kind: "integer", column: id, hidden: true },
  };
}

/** Part of the record, but nothing to filter or sort by. */
function shown(column: SQL, nested = column): Field {
  return { kind: "value", column, nested };
}

function brief(table: SQL): SQL {
  return sql`case when ${table}.id is not null then json_build_object('id', ${table}.id, 'ics_id', ${table}.ics_id,
    'serial_number', ${table}.serial_number, 'quantity', ${table}.quantity) end`;
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
const HISTORY = sql`item_history(items.id)`;
