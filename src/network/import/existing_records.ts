// Loads the existing records that the rows of an import of hosts refer to, with few queries however many rows there are.

import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { all, textSubquery } from "../../import/statements.ts";
import {
  type NamedRecords,
  namedRecords,
  type StoredColumn,
  type StoredValues,
} from "../../import/stored_columns.ts";
import { formatAddress, readAddress } from "../../input/addresses.ts";
import { isForAdmins, protectingNetwork } from "../../store/may_edit.ts";
import type { Read } from "../../store/read.ts";
import { RESERVED } from "../addresses/allocation.ts";
import { type HostEntry, INTERFACE_STORED, STORED } from "./rows.ts";

export interface ExistingInterface {
  id: number;
  name: string;
  ip: string;
  mac: string | null;
  network_id: number;
  stored: StoredValues;
  cnames: string[];
}

/** A host that is visible to the caller. */
export interface ExistingHost {
  id: number;
  name: string;
  device_type: string;
  device_type_id: number;
  stored: StoredValues;
  automation_vars: Record<string, unknown>;
  items: Array<{ ics_id: string; isStacked: boolean }>;
  groups: string[];
  /** A network because of which the caller may not change it. */
  protected_by: string | null;
  interfaces: ExistingInterface[];
}

/** A network that is visible to the caller. */
export interface ImportNetwork {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  domain_id: number;
  domain: string;
  admin_only: boolean;
  /** Addresses that are never assigned. */
  reserved: string[];
}

export interface MountedItem {
  id: number;
  ics_id: string;
  host_id: number | null;
  isHidden: boolean;
  protected_by: string | null;
}

interface AddressHolder {
  interface_id: number;
  network_id: number;
  isHidden: boolean;
}

export interface ExistingRecords {
  /** By name. */
  hosts: Map<string, ExistingHost>;
  /** By the name that a row gives, in lower case. */
  deviceTypes: Map<string, { id: number; name: string }>;
  groups: Map<string, { id: number; name: string; type: string }>;
  items: Map<string, MountedItem>;
  networks: ImportNetwork[];
  /** What the further references of hosts and interfaces lead to. */
  named: NamedRecords;
  /** The interface that has an address. */
  addresses: Map<string, AddressHolder>;
  /** The interfaces that have a MAC address, in different networks. */
  macs: Map<string, AddressHolder[]>;
}

export async function loadExisting(
  read: Read,
  caller: Caller,
  entries: HostEntry[],
): Promise<ExistingRecords> {
  const hosts = await hostsByName(read, caller, entries);
  const addresses = await holders(read, caller, {
    value: sql`host(interfaces.ip)`,
    where: sql`interfaces.ip in (select value::inet from ${textSubquery(givenValues(entries, ipOf))} rows (value))`,
  });
  const macs = await holders(read, caller, {
    value: sql`interfaces.mac::text`,
    where: sql`interfaces.mac in (select value::macaddr from ${textSubquery(givenValues(entries, macOf))} rows (value))`,
  });
  return {
    hosts: new Map(hosts.map((one) => [one.name, one])),
    deviceTypes: byGiven(await deviceTypes(read, entries)),
    groups: byGiven(await groupsByName(read, entries)),
    items: new Map((await itemsByLabel(read, caller, entries)).map((one) => [one.ics_id, one])),
    networks: await networksFor(read, caller),
    named: await namedRecords(
      read,
      caller,
      [...STORED, ...INTERFACE_STORED],
      ({ name, column }) => ({
        given: givenValues(
          entries,
          ({ filled }) => (filled as Record<string, string | undefined>)[name],
        ),
        used: new Set(
          hosts
            .flatMap(({ stored, interfaces }) => [stored, ...interfaces.map((one) => one.stored)])
            .flatMap((stored) => (stored[column] as number | null | undefined) ?? []),
        ),
      }),
    ),
    addresses: new Map(addresses.map(({ value, ...holder }) => [normalIp(value), holder])),
    macs: Map.groupBy(macs, ({ value }) => value),
  };
}

/** The spelling under which addresses are compared. */
export function normalIp(ip: string): string {
  const address = readAddress(ip);
  return address ? formatAddress(address) : ip;
}

export function ipOf({ filled: { ip } }: HostEntry): string | undefined {
  return ip == null ? undefined : normalIp(ip);
}

/** As PostgreSQL writes it. */
export function macOf({ filled: { mac } }: HostEntry): string | undefined {
  const digits = mac?.toLowerCase().replace(/[^0-9a-f]/g, "");
  return digits?.match(/../g)?.join(":");
}

export function itemsOf({ filled }: HostEntry): string[] {
  return [...new Set((filled.items ?? []).map((one) => one.toUpperCase()))];
}

export function givenValues<T>(
  entries: HostEntry[],
  value: (entry: HostEntry) => T | T[] | undefined,
): Set<T> {
  return new Set(entries.flatMap((entry) => value(entry) ?? []));
}

function byGiven<T extends { given: string }>(found: T[]): Map<string, T> {
  return new Map(found.map((one) => [one.given.toLowerCase(), one]));
}

function jsonOf(table: SQL, columns: readonly StoredColumn[]): SQL {
  const pairs = columns.map(
    ({ column }) => sql`${sql.raw(`'${column}'`)}, ${table}.${sql.identifier(column)}`,
  );
  return sql`json_build_object(${sql.join(pairs, sql`, `)})`;
}

const HOST_STORED = jsonOf(sql`hosts`, STORED);
const INTERFACE_JSON = jsonOf(sql`one`, INTERFACE_STORED);

async function hostsByName(
  read: Read,
  caller: Caller,
  entries: HostEntry[],
): Promise<ExistingHost[]> {
  const names = givenValues(entries, ({ name }) => name);
  if (names.size === 0) return [];
  // In SQL: lists come as JSON in the row of the host.
  return all(
    read,
    sql`
    select hosts.id, hosts.name, device_types.name as device_type, device_type_id,
      ${HOST_STORED} as stored, automation_vars,
      array(select json_build_object('ics_id', ics_id, 'isStacked', stack_member is not null)
        from items where items.host_id = hosts.id order by ics_id) as items,
      array(select groups.name from group_hosts join groups on groups.id = group_id
        where group_hosts.host_id = hosts.id order by lower(groups.name)) as groups,
      ${protectingNetwork(caller, sql`hosts.id`)} as protected_by,
      array(select json_build_object('id', one.id, 'name', one.name, 'ip', host(one.ip),
          'mac', one.mac, 'network_id', one.network_id, 'stored', ${INTERFACE_JSON},
          'cnames', array(select name from cnames where interface_id = one.id order by name))
        from interfaces one where one.host_id = hosts.id order by one.id) as interfaces
    from hosts join device_types on device_types.id = device_type_id
    where hosts.name in ${textSubquery(names)} and ${mayKnowHost(caller, sql`hosts.id`)}`,
  );
}

function deviceTypes(
  read: Read,
  entries: HostEntry[],
): Promise<Array<{ given: string; id: number; name: string }>> {
  const given = givenValues(entries, ({ filled }) => filled.device_type);
  return all(
    read,
    sql`select given, device_types.id, device_types.name from ${textSubquery(given)} rows (given)
      join device_types on lower(device_types.name) = lower(given collate names)`,
  );
}

function groupsByName(
  read: Read,
  entries: HostEntry[],
): Promise<Array<{ given: string; id: number; name: string; type: string }>> {
  const given = givenValues(entries, ({ filled }) => filled.automation_groups);
  return all(
    read,
    sql`select given, groups.id, groups.name, groups.type
      from ${textSubquery(given)} rows (given) join groups on lower(groups.name) = lower(given collate names)`,
  );
}

async function itemsByLabel(
  read: Read,
  caller: Caller,
  entries: HostEntry[],
): Promise<MountedItem[]> {
  const labels = givenValues(entries, itemsOf);
  if (labels.size === 0) return [];
  const owner = sql`items.host_id`;
  return all(
    read,
    sql`select id, ics_id, host_id, ${owner} is not null and not ${mayKnowHost(caller, owner)} as "isHidden",
        ${protectingNetwork(caller, owner)} as protected_by
      from items where ics_id in ${textSubquery(labels)}`,
  );
}

/** All that are visible: a row may give an address without the network. */
function networksFor(read: Read, caller: Caller): Promise<ImportNetwork[]> {
  return all(
    read,
    sql`select networks.id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip,
        domain_id, domains.name as domain, ${isForAdmins(caller)} as admin_only,
        array(select host(one) from unnest(reserved) one) as reserved
      from networks join domains on domains.id = domain_id, lateral (select ${RESERVED} as reserved) never
      where ${mayKnowNetwork(caller)}`,
  );
}

interface HolderQuery {
  value: SQL;
  where: SQL;
}

function holders(
  read: Read,
  caller: Caller,
  { value, where }: HolderQuery,
): Promise<Array<AddressHolder & { value: string }>> {
  return all(
    read,
    sql`select ${value} as value, interfaces.id as interface_id, network_id,
        not ${mayKnowHost(caller, sql`interfaces.host_id`)} as "isHidden"
      from interfaces where ${where}`,
  );
}
