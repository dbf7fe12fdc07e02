// The description of networks: a VLAN and a block of addresses within a scope.
import { sql } from "drizzle-orm";
import { domains, interfaces, networks, scopes } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { isHiddenInChange, mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { ADDRESS, BLOCK } from "../../input/addresses.ts";
import { nullable, TRUE_OR_FALSE } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { fileFields } from "../../store/file_fields.ts";
import { type ListedRow, type RowOf, resource } from "../../store/resource.ts";
import type { DataRule, Touched } from "../../store/rules.ts";
import { siteValues } from "../../store/site/field.ts";
import { siteRules } from "../../store/site/rules.ts";
import * as shapes from "../common/shapes.ts";

/** The start of the sentence that refuses a scope without one of its networks. */
function outside({ vlan_name, vlan_id, address }: Record<string, string>): string {
  return `The network ${vlan_name} (VLAN ${vlan_id}, ${address}) would be outside`;
}

const lockScopes = (touched: Touched) => sql`
  select from scopes where id in (select scope_id from networks where ${touched("networks", sql`id`)})
  order by id for share`;

/** For a change of a scope, the first network outside of each end. */
const VLAN: DataRule = {
  on: { networks: ["vlan_id", "scope_id"], scopes: ["first_vlan", "last_vlan"] },
  lockRows: lockScopes,
  tellsOf: "its records",
  broken: (touched) => sql`
    select distinct on (is_own, bound)
      case when is_own then vlan_name else scope end as record, vlan_name, vlan_id::text, address::text, scope,
      first_vlan::text, last_vlan::text, is_own, bound
    from (
      select networks.*, scopes.name as scope, first_vlan, last_vlan, ${touched("networks", sql`networks.id`)} as is_own,
        case when vlan_id < first_vlan then 'first_vlan' else 'last_vlan' end as bound
      from networks join scopes on scopes.id = scope_id
      where vlan_id not between first_vlan and last_vlan
        and (${touched("networks", sql`networks.id`)} or ${touched("scopes", sql`scopes.id`)})
    ) one
    order by is_own, bound, case bound when 'first_vlan' then vlan_id else -vlan_id end`,
  refuse: (found) =>
    found.is_own
      ? {
          field: "vlan_id",
          code: "outside",
          message: `Use a VLAN of the scope ${found.scope}: ${found.first_vlan} to ${found.last_vlan}`,
        }
      : { field: found.bound ?? "", message: outside(found), code: "outside" },
};

const BLOCK_IN_SCOPE: DataRule = {
  on: { networks: ["address", "scope_id"], scopes: ["supernet"] },
  lockRows: lockScopes,
  tellsOf: "its records",
  broken: (touched) => sql`
    select case when is_own then vlan_name else scope end as record, one.*
    from (
      select vlan_name, vlan_id::text, address::text, scopes.name as scope, supernet::text,
        ${touched("networks", sql`networks.id`)} as is_own
      from networks join scopes on scopes.id = scope_id
      where not address <<= supernet
        and (${touched("networks", sql`networks.id`)} or ${touched("scopes", sql`scopes.id`)})
      order by networks.address limit 1
    ) one`,
  refuse: (found) =>
    found.is_own
      ? {
          field: "address",
          code: "outside",
          message: `Use a block inside ${found.supernet}, the supernet of ${found.scope}`,
        }
      : { field: "supernet", message: outside(found), code: "outside" },
};

// An IPv6 range can exceed every integer type, so the size of the block is used instead.
export const SIZE = sql`(case family(networks.address)
  when 4 then (networks.last_ip - networks.first_ip + 1)::float8
  else power(2::float8, 128 - masklen(networks.address)) end)`;

/** In the range of a network, without those of hidden hosts. */
function usedAddresses(caller: Caller) {
  return sql`(
    select count(*)::int from interfaces one
    where one.network_id = networks.id and one.ip between networks.first_ip and networks.last_ip
      and ${mayKnowHost(caller, sql`one.host_id`)})`;
}

export const network = resource({
  noun: "network",
  path: "/network/networks",
  table: networks,
  key: "vlan_name",
  page: (name) => `/network/networks/view/${name}`,
  editors: ["admin"],
  order: sql`networks.address`,
  rules: [VLAN, BLOCK_IN_SCOPE, ...siteRules("network")],
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
      recordValue: sql`host(netmask(networks.address))`,
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
    tags: fields.tags(),
    site: siteValues("network"),
    ...fileFields("networks"),
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
    interfaces: fields.inRecordsAlone(
      fields.hasMany({
        label: "Interfaces",
        kind: "label",
        table: interfaces,
        key: "network_id",
        singular: "interface",
        nested: { ip: "ip", mac: "mac" },
        visible: (caller, one) => mayKnowHost(caller, sql`${one}.host_id`),
      }),
    ),
    ...fields.stamps(),
    used: fields.usage("Used addresses", usedAddresses),
    utilisation: fields.usage(
      "In use (%)",
      (caller) => sql`floor(100 * ${usedAddresses(caller)} / ${SIZE})::int`,
    ),
  },
  search: {
    aliases: { name: ["vlan_name"], vlan: ["vlan_name", "vlan_id"], interface: ["interfaces"] },
  },
  history: { hides: (id, caller) => isHiddenInChange(caller, "network", id) },
});

export type Network = RowOf<typeof network>;
export type NetworkRow = ListedRow<typeof network>;
