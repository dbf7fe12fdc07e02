// What a host says of itself: one row of hosts, with what is around it.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowHost } from "../../auth/visibility.ts";
import { item } from "../../inventory/items/item.ts";
import type { FieldSql, FieldsSql } from "../../store/filters.ts";
import * as records from "../../store/records.ts";
import { reference } from "../../store/reference.ts";
import { recordOf, recordQuery } from "../../store/resource.ts";
import { settled } from "../../store/static_sql.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import * as shapes from "../common/shapes.ts";
import { networkInterface } from "../interfaces/interface.ts";
import { modelOf } from "../interfaces/main_interface.ts";
import { hostDocument } from "./search_document.ts";

const shownItem = recordOf(item);

export const host = Type.Object({
  id: Type.Integer(),
  name: shapes.text,
  fqdn: shapes.text,
  is_ioc: Type.Boolean(),
  device_type: shapes.reference,
  model: shapes.reference,
  description: shapes.textOrNull,
  items: Type.Array(Type.Union([shapes.text, shownItem])),
  interfaces: Type.Array(Type.Union([shapes.text, recordOf(networkInterface)])),
  automation_vars: Type.Object({}, { additionalProperties: true }),
  automation_groups: shapes.references,
  ...shapes.edited,
});

/** As the search tells of it. */
export const foundHost = Type.Object({
  ...host.properties,
  interfaces: Type.Array(recordOf(networkInterface)),
  items: Type.Array(shownItem),
});

export const hostResource = settled(madeFor);

function madeFor(caller: Caller): records.RecordQuery {
  return {
    from: sql`hosts left join device_types on device_types.id = hosts.device_type_id`,
    table: sql`hosts`,
    id: sql`hosts.id`,
    version: sql`hosts.version`,
    fields: {
      id: { kind: "integer", column: sql`hosts.id` },
      name: { kind: "label", column: sql`hosts.name` },
      fqdn: { kind: "label", column: FQDN },
      is_ioc: { kind: "boolean", column: sql`hosts.is_ioc` },
      device_type: reference({
        kind: "name",
        key: sql`hosts.device_type_id`,
        table: sql`device_types`,
        id: sql`device_types.id`,
        name: sql`device_types.name`,
        nested: sql`json_build_object('id', device_types.id, 'name', device_types.name)`,
      }),
      device_type_id: { kind: "integer", column: sql`hosts.device_type_id`, hidden: true },
      ...modelOf(sql`hosts.id`, { id: HOST, from: sql`items` }).query({
        name: "model",
        table: sql`hosts`,
        id: HOST,
        caller,
      }),
      description: { kind: "text", column: sql`hosts.description` },
      items: {
        ...many({ kind: "code", name: sql`one.ics_id`, from: ITEMS }),
        nested: records.within(recordQuery(item, caller), { key: sql`items.host_id`, of: HOST }),
      },
      interfaces: {
        ...many({ kind: "label", name: sql`one.name`, from: INTERFACES }),
        shown: sql`coalesce((select json_agg(one.name order by one.name <> hosts.name, one.id) from ${INTERFACES}), '[]'::json)`,
        nested: records.within(recordQuery(networkInterface, caller), {
          key: sql`interfaces.host_id`,
          of: HOST,
        }),
      },
      automation_vars: { kind: "value", column: sql`hosts.automation_vars` },
      item_id: keyAmong(sql`one.id`, ITEMS),
      interface_id: keyAmong(sql`one.id`, INTERFACES),
      automation_group_id: keyAmong(sql`one.group_id`, GROUPS),
      automation_groups: many({
        kind: "name",
        name: sql`groups.name`,
        from: GROUPS,
        nested: sql`json_build_object('id', groups.id, 'name', groups.name)`,
      }),
      ...edited(sql`hosts`),
      ...FOUND_BY,
    },
    document: { ...hostDocument, hidden: hiddenHosts(caller) },
    visible: mayKnowHost(caller, HOST),
    order: sql`hosts.name`,
  };
}

/** Its interfaces and items as records, all else by names. */
export const wholeHostResource = settled((caller) => {
  const resource = hostResource(caller);
  const { interfaces, items } = resource.fields;
  return { ...resource, fields: { ...resource.fields, ...nested({ interfaces, items }) } };
});

/** Its interfaces as records, all else by names. */
export const registeredHostResource = settled((caller) => {
  const resource = hostResource(caller);
  const { interfaces } = resource.fields;
  return { ...resource, fields: { ...resource.fields, ...nested({ interfaces }) } };
});

function nested(fields: Record<string, FieldSql | undefined>): FieldsSql {
  const whole = Object.entries(fields).flatMap(([name, field]) =>
    field?.nested ? [[name, { ...field, shown: field.nested }] as const] : [],
  );
  return Object.fromEntries(whole);
}

const HOST = sql`hosts.id`;

// By the keys alone: a join is taken for cheaper than it is where networks are read from end to end.
const FQDN = sql`coalesce((
  select hosts.name || '.' || (
    select domains.name from domains where domains.id = (
      select networks.domain_id from networks where networks.id = one.network_id))
  from interfaces one where one.host_id = hosts.id order by one.name <> hosts.name, one.id limit 1), hosts.name)`;

const ITEMS = sql`items one where one.host_id = hosts.id`;
const INTERFACES = sql`interfaces one where one.host_id = hosts.id`;
const GROUPS = sql`group_hosts one join groups on groups.id = one.group_id
  where one.host_id = hosts.id`;
const NETWORKS = sql`interfaces one join networks on networks.id = one.network_id
  where one.host_id = hosts.id`;

/** Not fields of a host, but what people look for one by; a list of hosts can show them, the main one first. */
const FOUND_BY = {
  ip: {
    kind: "ip",
    column: sql`one.ip`,
    among: INTERFACES,
    shown: each(sql`host(one.ip)`, INTERFACES),
    hidden: true,
  },
  mac: {
    kind: "mac",
    column: sql`one.mac`,
    among: INTERFACES,
    shown: each(sql`one.mac`, INTERFACES),
    hidden: true,
  },
  network: {
    kind: "name",
    column: sql`networks.vlan_name`,
    among: NETWORKS,
    shown: each(sql`networks.vlan_name`, NETWORKS),
    hidden: true,
  },
  network_id: { kind: "integer", column: sql`one.network_id`, among: INTERFACES, hidden: true },
} as const;

function each(value: SQL, from: SQL): SQL {
  return sql`coalesce((select json_agg(${value} order by one.name <> hosts.name, one.id)
    filter (where ${value} is not null) from ${from}), '[]'::json)`;
}
