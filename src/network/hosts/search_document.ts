// How hosts are searched: aliases of fields, and the sources of values in their interfaces and items.
import { type SQL, sql } from "drizzle-orm";
import type { SearchSource, ValueKind } from "../../search/document.ts";
import type { Aliases } from "../../search/language/tree.ts";
import { firstModels, MAIN_FLAG } from "../interfaces/main_interface.ts";

const INTERFACES = sql`interfaces where true`;
const IN_NETWORKS = sql`interfaces join networks on networks.id = interfaces.network_id where true`;
const IN_SCOPES = sql`interfaces join networks on networks.id = interfaces.network_id
  join scopes on scopes.id = networks.scope_id where true`;
const IN_DOMAINS = sql`interfaces join networks on networks.id = interfaces.network_id
  join domains on domains.id = networks.domain_id where true`;
const ITEMS = sql`items where items.host_id is not null`;

const HOST = sql`hosts.id`;
const OWNER = sql`interfaces.host_id`;
const MOUNTED = sql`items.host_id`;

const WITH_INTERFACES = sql`hosts where exists (select from interfaces where host_id = hosts.id)`;
const MODEL = { value: sql`models.name`, lower: sql`lower(models.name)` };
const FIRST_MODELS = firstModels();

/** The paths that a field name stands for; other names stand for themselves. */
export const HOST_ALIASES: Aliases = {
  ip: ["interfaces.ip"],
  mac: ["interfaces.mac"],
  network: ["interfaces.network"],
  domain: ["interfaces.domain"],
  scope: ["interfaces.scope"],
  cname: ["interfaces.cnames"],
  vlan: ["interfaces.network", "interfaces.vlan_id"],
  group: ["automation_groups"],
  type: ["device_type"],
};

/** The search of hosts beyond their own fields: the values in their interfaces and items. */
export const hostSearch = {
  aliases: HOST_ALIASES,
  names: ["name", "fqdn"],
  otherNames: { host: "name", hostname: "name", address: "ip", label: "items.ics_id" },
  // Members of groups by query are not stored; `automation_groups` has only the static groups of a host.
  savedQueries: {
    field: "group",
    all: sql`select name, query from groups where type = 'query' order by id`,
  },
  tracked: { name: "hosts", changedSince, order: sql`hosts.name` },
  sources: (): readonly SearchSource[] => INSIDE,
  variables: {
    path: "automation_vars",
    name: sql`host_variables.path`,
    id: sql`host_variables.host_id`,
    from: sql`host_variables where true`,
    text: sql`host_variables.text`,
    number: sql`host_variables.number`,
    truth: sql`host_variables.truth`,
  },
};

const INSIDE: readonly SearchSource[] = [
  source("interfaces.name", "keyword", {
    ...label(sql`interfaces.name`),
    id: OWNER,
    from: INTERFACES,
  }),
  ...ofInterfaces("ip", "address", sql`interfaces.ip`),
  ...ofInterfaces("mac", "mac", sql`interfaces.mac`),
  ...ofInterfaces("description", "text", sql`interfaces.description`),
  source("interfaces.network", "keyword", {
    value: sql`networks.vlan_name`,
    lower: sql`lower(networks.vlan_name)`,
    id: OWNER,
    from: IN_NETWORKS,
  }),
  source("interfaces.vlan_id", "number", {
    value: sql`networks.vlan_id`,
    id: OWNER,
    from: IN_NETWORKS,
  }),
  source("interfaces.netmask", "address", {
    value: sql`netmask(networks.address)`,
    id: OWNER,
    from: IN_NETWORKS,
  }),
  source("interfaces.scope", "keyword", {
    value: sql`scopes.name`,
    lower: sql`lower(scopes.name)`,
    id: OWNER,
    from: IN_SCOPES,
  }),
  source("interfaces.domain", "keyword", {
    ...label(sql`domains.name`),
    id: OWNER,
    from: IN_DOMAINS,
  }),
  source("interfaces.cnames", "keyword", {
    ...label(sql`cnames.name`),
    id: OWNER,
    from: sql`cnames join interfaces on interfaces.id = cnames.interface_id where true`,
  }),
  ...ofItems("ics_id", "keyword", sql`items.ics_id`),
  ...ofItems("serial_number", "keyword", sql`items.serial_number`),
  ...ofItems("quantity", "number", sql`items.quantity`),
  ...ofItems("stack_member", "number", sql`items.stack_member`),
  ...attribute("manufacturer", sql`manufacturers`),
  ...attribute("model", sql`models`),
  source("interfaces.host", "keyword", {
    ...label(sql`hosts.name`),
    id: HOST,
    from: WITH_INTERFACES,
    onlyByName: true,
  }),
  source("interfaces.is_main", "boolean", { ...MAIN_FLAG, id: OWNER }),
  source("interfaces.device_type", "keyword", {
    value: sql`device_types.name`,
    lower: sql`lower(device_types.name)`,
    id: HOST,
    from: sql`hosts join device_types on device_types.id = hosts.device_type_id
        where exists (select from interfaces where host_id = hosts.id)`,
    onlyByName: true,
  }),
  source("interfaces.model", "keyword", {
    ...MODEL,
    id: MOUNTED,
    from: sql`${FIRST_MODELS} and exists (select from interfaces where host_id = items.host_id)`,
    onlyByName: true,
  }),
  source("items.host", "keyword", {
    ...label(sql`hosts.name`),
    id: HOST,
    from: sql`hosts where exists (select from items where host_id = hosts.id)`,
    onlyByName: true,
  }),
  ...attribute("location", sql`locations`),
  ...attribute("status", sql`statuses`),
  source("items.parent", "keyword", {
    value: sql`parent.ics_id`,
    id: MOUNTED,
    from: sql`items join items parent on parent.id = items.parent_id where items.host_id is not null`,
  }),
  source("items.comments", "text", {
    value: sql`comments.body`,
    id: MOUNTED,
    from: sql`comments join items on items.id = comments.item_id where items.host_id is not null`,
  }),
  source("items.macs", "mac", {
    value: sql`macs.address`,
    id: MOUNTED,
    from: sql`macs join items on items.id = macs.item_id where items.host_id is not null`,
  }),
];

function source(
  path: string,
  kind: ValueKind,
  where: Omit<SearchSource, "path" | "kind">,
): SearchSource {
  return { path, kind, ...where };
}

/** A value that is stored in lower case. */
function label(value: SQL) {
  return { value, lower: value };
}

function ofInterfaces(name: string, kind: ValueKind, value: SQL): SearchSource[] {
  return [source(`interfaces.${name}`, kind, { value, id: OWNER, from: INTERFACES })];
}

function ofItems(name: string, kind: ValueKind, value: SQL): SearchSource[] {
  return [source(`items.${name}`, kind, { value, id: MOUNTED, from: ITEMS })];
}

function attribute(name: string, table: SQL): SearchSource[] {
  const from = sql`items join ${table} on ${table}.id = items.${sql.identifier(`${name}_id`)}
    where items.host_id is not null`;
  const where = { value: sql`${table}.name`, lower: sql`lower(${table}.name)`, id: MOUNTED, from };
  return [source(`items.${name}`, "keyword", where)];
}

// Selects the hosts whose search results may have changed since a change. A change of a record that many hosts share may
// have affected all hosts.

/** With more changes it is faster to search again. */
const MOST_CHANGES = 2_000;
/** Tables whose rows many hosts share. */
const SHARED = [
  ...["networks", "scopes", "domains", "device_types", "groups", "users"],
  ...["manufacturers", "models", "locations", "statuses"],
];

/** Selects ChangedRecords. If the change no longer exists, the database was restored and everything may differ. */
function changedSince(change: number): SQL {
  // In SQL: it reads keys out of JSON states of the history.
  return sql`
    with recent as materialized (
      select table_name, row_id, before, after from changes where id > ${change}::bigint
      order by id limit ${sql.raw(String(MOST_CHANGES + 1))}
    ), states as materialized (
      select table_name, before as state from recent union all select table_name, after from recent
    ), touched (id) as (
      select row_id from recent where table_name = 'hosts'
      union select (state ->> 'host_id')::integer from states where table_name in ('interfaces', 'group_hosts', 'items', 'files')
      union select host_id from interfaces where id = any(array(
        select (state ->> 'interface_id')::integer from states where table_name = 'cnames'))
      union select host_id from items where id = any(array(
        select (state ->> 'item_id')::integer from states where table_name in ('comments', 'macs')))
      union select host_id from items where parent_id = any(array(
        select row_id from recent where table_name = 'items'))
    )
    select (select string_agg(int4send(id), '') from touched where id is not null) as ids,
      not exists (select from changes where id = ${change}::bigint)
        or (select count(*) > ${sql.raw(String(MOST_CHANGES))} or bool_or(table_name in (${shared})) from recent) as is_more`;
}

const shared = sql.raw(SHARED.map((name) => `'${name}'`).join(", "));
