// The description of networks: a VLAN and a block of addresses within a scope.
import { sql } from "drizzle-orm";
import { domains, interfaces, networks, scopes } from "../../../db/tables/network.ts";
import { isHiddenInChange, mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { ADDRESS, BLOCK } from "../../input/addresses.ts";
import { nullable, TRUE_OR_FALSE } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import * as shapes from "../common/shapes.ts";

export const network = resource({
  noun: "network",
  path: "/network/networks",
  table: networks,
  key: "vlan_name",
  page: (name) => `/network/networks/view/${name}`,
  editors: ["admin"],
  order: sql`networks.address`,
  visible: mayKnowNetwork,
  fields: {
    vlan_name: fields.name({ label: "Name", input: shapes.SHORT_NAME, required: true }),
    vlan_id: fields.integer({
      label: "VLAN",
      input: shapes.VLAN_ID,
      required: true,
      fixed: true,
    }),
    address: fields.block({ label: "Address", input: BLOCK, required: true, individual: true }),
    netmask: fields.derived<string>({
      label: "Netmask",
      kind: "ip",
      value: sql`netmask(networks.address)`,
      shown: sql`host(netmask(networks.address))`,
    }),
    first_ip: fields.ip({
      label: "First address",
      input: ADDRESS,
      required: true,
      individual: true,
    }),
    last_ip: fields.ip({
      label: "Last address",
      input: ADDRESS,
      required: true,
      individual: true,
    }),
    gateway: fields.ip({
      label: "Gateway",
      input: nullable(ADDRESS),
      required: true,
      individual: true,
    }),
    description: fields.text({ label: "Description", input: shapes.DESCRIPTION }),
    admin_only: fields.boolean({ label: "Admins only", input: TRUE_OR_FALSE }),
    sensitive: fields.boolean({ label: "Sensitive", input: TRUE_OR_FALSE }),
    scope: fields.belongsTo(scopes, {
      label: "Scope",
      kind: "name",
      input: shapes.SHORT_NAME,
      required: true,
      fixed: true,
      nested: { first_vlan: "integer", last_vlan: "integer", supernet: "block" },
    }),
    domain: fields.belongsTo(domains, {
      label: "Domain",
      kind: "label",
      input: shapes.DNS_NAME,
      onlyChanged: true,
    }),
    interfaces: fields.hasMany({
      label: "Interfaces",
      kind: "label",
      table: interfaces,
      key: "network_id",
      singular: "interface",
      nested: { ip: "ip", mac: "mac" },
      visible: (caller, one) => mayKnowHost(caller, sql`${one}.host_id`),
    }),
    ...fields.stamps(),
  },
  search: {
    aliases: { name: ["vlan_name"], vlan: ["vlan_name", "vlan_id"], interface: ["interfaces"] },
  },
  history: { hides: (id, caller) => isHiddenInChange(caller, "network", id) },
});

export type Network = RowOf<typeof network>;
