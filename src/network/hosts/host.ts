// The description of hosts: a machine with a name, interfaces in networks, the items that it runs on, and variables for
// automation.

import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import {
  device_types,
  group_hosts,
  groups,
  hosts,
  interfaces,
} from "../../../db/tables/network.ts";
import { NETWORK_EDITORS } from "../../auth/rights.ts";
import { hiddenHosts, isHiddenInChange, mayKnowHost } from "../../auth/visibility.ts";
import type { Kind } from "../../input/kinds.ts";
import { line, TRUE_OR_FALSE } from "../../input/shape.ts";
import { ICS_ID } from "../../inventory/items/ics_ids.ts";
import { item } from "../../inventory/items/item.ts";
import * as fields from "../../store/fields.ts";
import { fileFields } from "../../store/file_fields.ts";
import { type RowOf, recordOf, recordQuery, resource } from "../../store/resource.ts";
import { siteValues } from "../../store/site/field.ts";
import { siteRules } from "../../store/site/rules.ts";
import * as shapes from "../common/shapes.ts";
import { networkInterface } from "../interfaces/interface.ts";
import { firstModels, modelOf } from "../interfaces/main_interface.ts";
import { hostSearch } from "./search_document.ts";

const INTERFACES = sql`interfaces one where one.host_id = hosts.id`;
// One expression, because a batch sorts by a column. The number is larger than any id.
const MAIN_FIRST = sql`(one.id - case when one.name = hosts.name then 4294967296 else 0 end)`;

// Nested lookups by id instead of a join: the planner underestimates a join that scans all networks.
const FQDN = sql`coalesce((
  select hosts.name || '.' || (
    select domains.name from domains where domains.id = (
      select networks.domain_id from networks where networks.id = one.network_id))
  from ${INTERFACES} order by ${MAIN_FIRST} limit 1), hosts.name)`;

/** The values of the interfaces, the main interface first. Networks are looked up by id: a join would read all of them. */
const INTERFACE_VALUES = sql`left join lateral (
  select ${allOf(sql`host(one.ip)`, sql`one.ip`)} as ip, ${allOf(sql`one.mac`)} as mac,
    ${allOf(sql`(select networks.vlan_name from networks where networks.id = one.network_id)`, sql`one.network_id`)} as network
  from ${INTERFACES}) interface_values on true`;

function allOf(value: SQL, given = value): SQL {
  return sql`coalesce(json_agg(${value} order by ${MAIN_FIRST}) filter (where ${given} is not null), '[]'::json)`;
}

/** Triggers keep it for the search. A list computes it: it reads few hosts, and the past has no such table. */
const STORED_FQDN = sql`(select full_names.name from full_names where full_names.host_id = hosts.id)`;

export const host = resource({
  noun: "host",
  path: "/network/hosts",
  table: hosts,
  key: "name",
  page: (name) => `/network/hosts/view/${name}`,
  editors: NETWORK_EDITORS,
  crosses: { into: "inventory", reading: ["q", "recursive"], writing: ["items"] },
  order: sql`hosts.name`,
  visible: (caller) => mayKnowHost(caller, sql`hosts.id`),
  fields: {
    name: fields.label({ label: "Name", input: shapes.NEW_LABEL, required: true }),
    fqdn: fields.derived<string>({
      label: "Full name",
      kind: "label",
      value: FQDN,
      batchValue: () => ({ value: STORED_FQDN }),
      source: {
        value: sql`full_names.name`,
        id: sql`full_names.host_id`,
        from: sql`full_names where true`,
      },
      indexedCopy: {
        from: sql`full_names one where one.host_id = hosts.id`,
        column: sql`one.name`,
      },
    }),
    is_ioc: fields.boolean({ label: "IOC", input: TRUE_OR_FALSE }),
    device_type: fields.belongsTo(device_types, {
      label: "Device type",
      kind: "name",
      input: line(50, "Use the name of a device type"),
      required: true,
    }),
    model: modelOf(sql`hosts.id`, { id: sql`items.host_id`, from: firstModels() }),
    description: fields.text({ label: "Description", input: shapes.DESCRIPTION }),
    tags: fields.tags(),
    site: siteValues("host"),
    ...fileFields("hosts"),
    items: fields.hasMany({
      label: "Items",
      kind: "code",
      table: items,
      key: "host_id",
      singular: "item",
      nameColumn: "ics_id",
      input: Type.Array(ICS_ID, { maxItems: 100, description: "Use a list of labels" }),
      individual: true,
      whole: { schema: recordOf(item), query: (caller) => recordQuery(item, caller) },
    }),
    interfaces: fields.hasMany({
      label: "Interfaces",
      kind: "label",
      table: interfaces,
      key: "host_id",
      singular: "interface",
      order: MAIN_FIRST,
      whole: {
        schema: recordOf(networkInterface),
        query: (caller) => recordQuery(networkInterface, caller),
      },
    }),
    automation_vars: fields.json({ label: "Variables", input: shapes.VARIABLES }),
    automation_groups: fields.hasMany({
      label: "Groups",
      kind: "name",
      table: groups,
      key: "host_id",
      through: { table: group_hosts, to: "group_id" },
      singular: "automation_group",
      input: Type.Array(line(100), { maxItems: 100, description: shapes.GROUP_NAMES_RULE }),
    }),
    ...fields.stamps(),
    ip: ofInterfaces({ label: "IPs", kind: "ip", value: sql`one.ip` }),
    mac: ofInterfaces({ label: "MACs", kind: "mac", value: sql`one.mac` }),
    network: ofInterfaces({
      label: "Networks",
      kind: "name",
      value: sql`networks.vlan_name`,
      shows: "networks",
      key: sql`one.network_id`,
      from: sql`interfaces one join networks on networks.id = one.network_id
        where one.host_id = hosts.id`,
    }),
  },
  rules: siteRules("host"),
  search: { ...hostSearch, hidden: hiddenHosts },
  history: { hides: (id, caller) => isHiddenInChange(caller, "host", id) },
});

export type Host = RowOf<typeof host>;

interface OfInterfaces {
  label: string;
  kind: Kind;
  value: SQL;
  /** The table of the records that it names. */
  shows?: string;
  /** An id for a second, hidden filter. */
  key?: SQL;
  from?: SQL;
}

/** A filter and list column with values of the host's interfaces: see INTERFACE_VALUES. */
function ofInterfaces({ label, kind, value, shows, key, from = INTERFACES }: OfInterfaces) {
  const field: fields.Field<string[], undefined, undefined> = {
    label,
    kind,
    schema: undefined,
    create: undefined,
    change: undefined,
    ...(shows && { shows }),
    query: ({ name }) => ({
      [name]: {
        kind,
        column: value,
        valueRows: from,
        recordValue: sql`interface_values.${sql.identifier(name)}`,
        join: INTERFACE_VALUES,
      },
      ...(key && {
        [`${name}_id`]: { kind: "integer", column: key, valueRows: INTERFACES, hidden: true },
      }),
    }),
    sources: () => [],
  };
  return fields.hidden(field);
}
