// What an interface says of itself.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import type { RecordQuery } from "../../store/records.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import * as shapes from "../common/shapes.ts";
import { IS_MAIN, modelOf } from "./main_interface.ts";
import { interfaceDocument } from "./search_document.ts";

export const networkInterface = Type.Object({
  id: Type.Integer(),
  name: shapes.text,
  is_main: Type.Boolean(),
  ip: shapes.text,
  netmask: shapes.text,
  mac: shapes.textOrNull,
  host: shapes.reference,
  network: shapes.reference,
  domain: shapes.reference,
  cnames: shapes.references,
  description: shapes.textOrNull,
  device_type: shapes.reference,
  model: shapes.reference,
  ...shapes.edited,
});

/** From `interfaces`. */
export const TO_DOMAINS = sql`
  join networks on networks.id = interfaces.network_id join domains on domains.id = networks.domain_id`;

const CNAMES = sql`cnames one where one.interface_id = interfaces.id`;

/** Of hosts that one may know of: see the visibility of hosts. */
export function interfaceResource(_caller: Caller): RecordQuery {
  return {
    from: sql`interfaces
      join hosts on hosts.id = interfaces.host_id
      join device_types on device_types.id = hosts.device_type_id ${TO_DOMAINS}`,
    id: sql`interfaces.id`,
    version: sql`interfaces.version`,
    fields: {
      id: { kind: "integer", column: sql`interfaces.id` },
      name: { kind: "label", column: sql`interfaces.name` },
      is_main: {
        kind: "boolean",
        column: IS_MAIN,
      },
      ip: { kind: "ip", column: sql`interfaces.ip`, shown: sql`host(interfaces.ip)` },
      netmask: {
        kind: "ip",
        column: sql`netmask(networks.address)`,
        shown: sql`host(netmask(networks.address))`,
      },
      mac: { kind: "mac", column: sql`interfaces.mac` },
      host: {
        kind: "label",
        column: sql`hosts.name`,
        nested: sql`json_build_object('id', hosts.id, 'name', hosts.name, 'description', hosts.description,
          'is_ioc', hosts.is_ioc, 'device_type', device_types.name)`,
      },
      host_id: { kind: "integer", column: sql`interfaces.host_id`, hidden: true },
      network: {
        kind: "name",
        column: sql`networks.vlan_name`,
        nested: sql`json_build_object('id', networks.id, 'vlan_name', networks.vlan_name, 'vlan_id', networks.vlan_id,
          'address', networks.address, 'gateway', host(networks.gateway))`,
      },
      network_id: { kind: "integer", column: sql`interfaces.network_id`, hidden: true },
      domain: {
        kind: "label",
        column: sql`domains.name`,
        nested: sql`json_build_object('id', domains.id, 'name', domains.name)`,
      },
      domain_id: { kind: "integer", column: sql`networks.domain_id`, hidden: true },
      cnames: many({
        kind: "label",
        name: sql`one.name`,
        from: CNAMES,
        nested: sql`json_build_object('id', one.id, 'name', one.name)`,
      }),
      cname_id: keyAmong(sql`one.id`, CNAMES),
      description: { kind: "text", column: sql`interfaces.description` },
      device_type: {
        kind: "name",
        column: sql`device_types.name`,
        nested: sql`json_build_object('id', device_types.id, 'name', device_types.name)`,
      },
      device_type_id: { kind: "integer", column: sql`hosts.device_type_id`, hidden: true },
      ...modelOf(sql`interfaces.host_id`),
      ...edited(sql`interfaces`),
    },
    document: interfaceDocument,
    order: sql`interfaces.ip`,
  };
}
