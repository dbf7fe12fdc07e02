// Networks with their utilisation by hosts that are visible to the caller.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { readAddress } from "../../input/addresses.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Network, network } from "./network.ts";

interface NetworkUsage {
  /** The number of used addresses in its range. */
  used: number;
  utilisation: number;
}

export type NetworkRow = Omit<Network, "interfaces"> & NetworkUsage;

export function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<NetworkRow>> {
  return records.list(queryWithUse(caller), params);
}

/** By name, case-sensitive. */
export function findNamed(caller: Caller, name: string): Promise<records.RecordJson<NetworkRow>> {
  return records.find(
    queryWithUse(caller),
    sql`lower(networks.vlan_name) = lower(${name}::text collate names) and networks.vlan_name = ${name}
      and ${mayKnowNetwork(caller)}`,
  );
}

/** The number of addresses in the range of a network. */
export function networkSize({
  first_ip,
  last_ip,
}: Pick<NetworkRow, "first_ip" | "last_ip">): bigint {
  const [first, last] = [readAddress(first_ip), readAddress(last_ip)];
  return first && last ? last.value - first.value + 1n : 0n;
}

export interface HiddenCounts {
  hosts: number;
  interfaces: number;
  cnames: number;
}

/** Counts what would be visible only to admins and auditors if the network became sensitive. */
export async function countsHiddenBy(network: number): Promise<HiddenCounts> {
  // In SQL: three subselects count rows of one set.
  const found = await database.row<HiddenCounts>(sql`
    with lost as (
      select distinct host_id from interfaces
      where network_id = ${network} and not is_sensitive_host(host_id)
    ), theirs as (select id from interfaces where host_id in (select host_id from lost))
    select (select count(*)::int from lost) as hosts, (select count(*)::int from theirs) as interfaces,
      (select count(*)::int from cnames where interface_id in (select id from theirs)) as cnames`);
  return found ?? { hosts: 0, interfaces: 0, cnames: 0 };
}

export interface InterfacesOutside {
  /** The first ones. */
  interfaces: Array<{ name: string; ip: string; host: string }>;
  total: number;
}

const MOST_OUTSIDE = 50;

/** The interfaces of a network outside of a new block; for admins, who change networks. */
export async function interfacesOutside(
  network: number,
  block: string,
): Promise<InterfacesOutside> {
  const where = sql`network_id = ${network} and not ip <<= ${block}::cidr`;
  const [interfaces, counted] = await Promise.all([
    database.rows<{ name: string; ip: string; host: string }>(sql`
      select interfaces.name, host(ip) as ip, hosts.name as host
      from interfaces join hosts on hosts.id = host_id where ${where} order by interfaces.ip limit ${MOST_OUTSIDE}`),
    database.row<{ total: number }>(
      sql`select count(*)::int as total from interfaces where ${where}`,
    ),
  ]);
  return { interfaces, total: counted?.total ?? 0 };
}

export function queryWithUse(caller: Caller): records.RecordQuery<NetworkRow> {
  const query = records.omit(recordQuery(network, caller), WITHOUT);
  const used = usedIn(caller);
  return records.extend<NetworkUsage>()(query, {
    used: { kind: "integer", column: used },
    utilisation: { kind: "integer", column: sql`floor(100 * ${used} / ${SIZE})::int` },
  });
}

const WITHOUT = ["interfaces"] as const;

/** Used addresses in the range of a network, without those of hidden hosts. */
function usedIn(caller: Caller): SQL {
  return sql`(
    select count(*)::int from interfaces one
    where one.network_id = networks.id and one.ip between networks.first_ip and networks.last_ip
      and ${mayKnowHost(caller, sql`one.host_id`)})`;
}

// An IPv6 range can exceed every integer type, so the size of the block is used instead.
export const SIZE = sql`(case family(networks.address)
  when 4 then (networks.last_ip - networks.first_ip + 1)::float8
  else power(2::float8, 128 - masklen(networks.address)) end)`;
