// The description of interfaces: an address of a host in a network.

import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import {
  cnames,
  device_types,
  domains,
  hosts,
  interfaces,
  networks,
} from "../../../db/tables/network.ts";
import { NETWORK_EDITORS } from "../../auth/rights.ts";
import { isHiddenInChange, mayKnowHost } from "../../auth/visibility.ts";
import { ADDRESS } from "../../input/addresses.ts";
import { MAC_ADDRESS, nullable } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import type { DataRule } from "../../store/rules.ts";
import { siteValues } from "../../store/site/field.ts";
import { siteRules } from "../../store/site/rules.ts";
import { useInside } from "../addresses/allocation.ts";
import { nameRules } from "../common/names.ts";
import * as shapes from "../common/shapes.ts";
import { firstModels, IS_MAIN, MAIN_FLAG, modelOf } from "./main_interface.ts";

const ID = sql`interfaces.id`;
const IP = { ...nullable(ADDRESS), title: "IP address" };
const NETWORKS = sql`interfaces join networks on networks.id = interfaces.network_id`;

const INSIDE: DataRule = {
  on: { interfaces: ["ip", "network_id"], networks: ["address"] },
  tellsOf: "its records",
  broken: (touched) => sql`
    select case when is_own then name else vlan_name end as record, one.*
    from (
      select interfaces.name, host(ip) as ip, vlan_name, address::text, ${touched("interfaces", ID)} as is_own
      from ${NETWORKS}
      where not ip <<= address and interfaces.id in (
        select id from interfaces where ${touched("interfaces", sql`id`)}
        union select id from interfaces where ${touched("networks", sql`network_id`)})
      order by interfaces.ip limit 1
    ) one`,
  refuse: ({ is_own, name, ip, address = "" }) =>
    is_own
      ? { field: "ip", message: useInside(address), code: "outside" }
      : {
          field: "address",
          message: `The interface ${name} at ${ip} would be outside`,
          code: "outside",
        },
};

export const networkInterface = resource({
  noun: "interface",
  path: "/network/interfaces",
  table: interfaces,
  key: "name",
  partOf: "hosts",
  editors: NETWORK_EDITORS,
  order: sql`interfaces.ip`,
  rules: [INSIDE, ...nameRules, ...siteRules("interface")],
  visible: (caller) => mayKnowHost(caller, sql`interfaces.host_id`),
  fields: {
    name: fields.label({ label: "Name", input: shapes.NEW_LABEL, required: true }),
    is_main: fields.derived<boolean>({
      label: "Main interface",
      kind: "boolean",
      value: IS_MAIN,
      isNull: sql`hosts.id is null`,
      source: { id: ID, ...MAIN_FLAG },
    }),
    // By default the first free address of the network.
    ip: {
      ...fields.ip<undefined>({ label: IP.title, individual: true }),
      create: Type.Optional(IP),
      change: IP,
    },
    netmask: fields.derived<string>({
      label: "Netmask",
      kind: "ip",
      value: sql`netmask(networks.address)`,
      recordValue: sql`host(netmask(networks.address))`,
      isNull: sql`networks.id is null`,
      source: {
        value: sql`netmask(networks.address)`,
        id: ID,
        from: sql`${NETWORKS} where true`,
      },
    }),
    mac: fields.mac({ label: "MAC address", input: nullable(MAC_ADDRESS), individual: true }),
    host: fields.belongsTo(hosts, {
      label: "Host",
      kind: "label",
      input: shapes.LABEL,
      required: true,
      fixed: true,
      nested: {
        description: "text",
        is_ioc: "boolean",
        device_type: { kind: "name", table: device_types },
      },
    }),
    network: fields.belongsTo(networks, {
      label: "Network",
      kind: "name",
      nameColumn: "vlan_name",
      joined: true,
      input: shapes.SHORT_NAME,
      required: true,
      nested: { vlan_id: "integer", address: "block", gateway: "ip" },
    }),
    domain: fields.belongsTo(domains, {
      label: "Domain",
      kind: "label",
      through: { from: NETWORKS, key: sql`networks.domain_id` },
    }),
    cnames: fields.hasMany({
      label: "Cnames",
      kind: "label",
      table: cnames,
      key: "interface_id",
      singular: "cname",
    }),
    description: fields.text({ label: "Description", input: shapes.DESCRIPTION }),
    tags: fields.tags(),
    site: siteValues("interface"),
    device_type: fields.belongsTo(device_types, {
      label: "Device type",
      kind: "name",
      through: {
        from: sql`interfaces join hosts on hosts.id = interfaces.host_id`,
        key: sql`hosts.device_type_id`,
      },
    }),
    model: modelOf(sql`interfaces.host_id`, {
      id: ID,
      from: firstModels(sql`join interfaces on interfaces.host_id = items.host_id`),
    }),
    ...fields.stamps(),
  },
  search: {
    aliases: { cname: ["cnames"], vlan: ["network", "network.vlan_id"], type: ["device_type"] },
  },
  history: {
    hides: (id, caller) => isHiddenInChange(caller, "interface", id),
    hidesChange: (caller) => sql`(
      ${isHiddenInChange(caller, "host", sql`(recorded.state ->> 'host_id')::integer`)}
      or ${isHiddenInChange(caller, "network", sql`(recorded.state ->> 'network_id')::integer`)}
      or ${isHiddenInChange(caller, "network", sql`(coalesce(before, after) ->> 'network_id')::integer`)})`,
  },
});

export type Interface = RowOf<typeof networkInterface>;
