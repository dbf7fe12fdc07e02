// What a network says of itself.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import type { Resource } from "../../store/records.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import * as shapes from "../common/shapes.ts";
import { networkDocument } from "./search_document.ts";

export const network = Type.Object({
  id: Type.Integer(),
  vlan_name: shapes.text,
  vlan_id: Type.Integer(),
  address: shapes.text,
  netmask: shapes.text,
  first_ip: shapes.text,
  last_ip: shapes.text,
  gateway: shapes.textOrNull,
  description: shapes.textOrNull,
  admin_only: Type.Boolean(),
  sensitive: Type.Boolean(),
  scope: shapes.reference,
  domain: shapes.reference,
  interfaces: shapes.references,
  ...shapes.edited,
});

export function networkResource(caller: Caller): Resource {
  const interfaces = sql`interfaces one
    where one.network_id = networks.id and ${mayKnowHost(caller, sql`one.host_id`)}`;
  return {
    from: sql`networks
      join scopes on scopes.id = networks.scope_id join domains on domains.id = networks.domain_id`,
    id: sql`networks.id`,
    version: sql`networks.version`,
    fields: {
      id: { kind: "integer", column: sql`networks.id` },
      vlan_name: { kind: "name", column: sql`networks.vlan_name` },
      vlan_id: { kind: "integer", column: sql`networks.vlan_id` },
      address: { kind: "ip", column: sql`networks.address` },
      netmask: { kind: "ip", column: sql`netmask(networks.address)`, shown: NETMASK },
      first_ip: { kind: "ip", column: sql`networks.first_ip` },
      last_ip: { kind: "ip", column: sql`networks.last_ip` },
      gateway: { kind: "ip", column: sql`networks.gateway` },
      description: { kind: "text", column: sql`networks.description` },
      admin_only: { kind: "boolean", column: sql`networks.admin_only` },
      sensitive: { kind: "boolean", column: sql`networks.sensitive` },
      scope: {
        kind: "name",
        column: sql`scopes.name`,
        nested: sql`json_build_object('id', scopes.id, 'name', scopes.name, 'first_vlan', scopes.first_vlan,
          'last_vlan', scopes.last_vlan, 'supernet', scopes.supernet)`,
      },
      scope_id: { kind: "integer", column: sql`networks.scope_id`, hidden: true },
      domain: {
        kind: "label",
        column: sql`domains.name`,
        nested: sql`json_build_object('id', domains.id, 'name', domains.name)`,
      },
      domain_id: { kind: "integer", column: sql`networks.domain_id`, hidden: true },
      interface_id: keyAmong(sql`one.id`, interfaces),
      interfaces: many({
        kind: "label",
        name: sql`one.name`,
        from: interfaces,
        nested: sql`json_build_object('id', one.id, 'name', one.name, 'ip', host(one.ip), 'mac', one.mac)`,
      }),
      ...edited(sql`networks`),
    },
    document: networkDocument(caller),
    order: sql`networks.address`,
  };
}

const NETMASK = sql`host(netmask(networks.address))`;
