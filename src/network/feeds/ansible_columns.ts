// The hosts and interfaces of an inventory, each read as one row of columns: objects of 80,000 rows cost the driver eight
// times as much. Names and addresses contain no spaces.

import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { ownVars } from "../variables/host_vars.ts";
import { type ColumnBytes, columnBytes, free } from "./bytes.ts";

/** The driver makes a list of the first answer to a statement, and a typed one of the next answers. */
export type Integers = number[] | Int32Array;

/** In the order of their names. */
export interface InventoryHosts {
  ids: Int32Array;
  names: ColumnBytes;
  /** Ids. */
  deviceTypes: Int32Array;
  /** 1 or 0. */
  isIoc: Int32Array;
  /** JSON of own variables with `ansible_host`, by the id of a host that has any. */
  vars: Map<number, string>;
}

/** In any order. */
export interface InventoryInterfaces {
  ids: Int32Array;
  hostIds: Int32Array;
  networkIds: Int32Array;
  names: ColumnBytes;
  ips: ColumnBytes;
  /** Empty without one. */
  macs: ColumnBytes;
}

interface HostColumns {
  ids: Integers | null;
  names: string | null;
  device_types: Integers | null;
  ioc: Integers | null;
  with_vars: Integers | null;
  vars: string | null;
}

interface InterfaceColumns {
  ids: Integers | null;
  host_ids: Integers | null;
  network_ids: Integers | null;
  names: string | null;
  ips: string | null;
  macs: string | null;
}

/**
 * Stands for the value of `ansible_host` where a host does not set it, as JSON: PostgreSQL gives the variable its place
 * among the others, and would take longer to find the address than to read the host. Nobody knows it, so nothing else
 * can contain it.
 */
export const MAIN_ADDRESS = JSON.stringify(crypto.randomUUID());
const REACHED = sql.raw(`'{"ansible_host": ${MAIN_ADDRESS}}'::jsonb`);

export async function hostsOf(caller: Caller, hosts: SQL): Promise<InventoryHosts> {
  // In SQL: PostgreSQL merges variables, and orders them as it orders those of groups. Its JSON has no line feeds.
  const found = await database.row<HostColumns>(sql`
    select array_agg(id) as ids, string_agg(name, ' ') as names, array_agg(device_type_id) as device_types,
      array_agg(is_ioc::integer) as ioc,
      array_agg(id) filter (where vars is not null) as with_vars, string_agg(vars, chr(10)) as vars
    from (
      select id, name, device_type_id, is_ioc,
        case when own <> '{}' then (${REACHED} || (own - 'cadastre'))::text end as vars
      from hosts cross join lateral (select ${ownVars(caller)} as own) vars_of where ${hosts} order by name
    ) one`);
  const ids = integers(found?.ids);
  const texts = found?.vars?.split("\n") ?? [];
  return {
    ids,
    names: columnBytes(found?.names ?? "", ids.length),
    deviceTypes: integers(found?.device_types),
    isIoc: integers(found?.ioc),
    vars: new Map(Array.from(found?.with_vars ?? [], (id, at) => [id, texts[at] ?? "{}"])),
  };
}

export async function interfacesOf(ofHosts: SQL): Promise<InventoryInterfaces> {
  // In SQL: columns are aggregated. In no order: PostgreSQL would read the table by an index, in twice the time.
  const found = await database.row<InterfaceColumns>(sql`
    select array_agg(id) as ids, array_agg(host_id) as host_ids, array_agg(network_id) as network_ids,
      string_agg(name, ' ') as names, string_agg(host(ip), ' ') as ips, string_agg(coalesce(mac::text, ''), ' ') as macs
    from interfaces where ${ofHosts}`);
  const ids = integers(found?.ids);
  const column = (joined = null as string | null | undefined) =>
    columnBytes(joined ?? "", ids.length);
  return {
    ids,
    hostIds: integers(found?.host_ids),
    networkIds: integers(found?.network_ids),
    names: column(found?.names),
    ips: column(found?.ips),
    macs: column(found?.macs),
  };
}

/** Once they are written: they take as much memory as the text. */
export function freeColumns(columns: InventoryHosts | InventoryInterfaces): void {
  for (const column of Object.values(columns)) {
    if (column instanceof Int32Array) free(column);
    else if ("bytes" in column) free(column.bytes, column.starts);
  }
}

function integers(found: Integers | null | undefined): Int32Array {
  return new Int32Array(found ?? []);
}
