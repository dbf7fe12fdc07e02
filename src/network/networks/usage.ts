// How large a network is, and what a change of it would hide or leave outside.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { readAddress } from "../../input/addresses.ts";
import type { NetworkRow } from "./network.ts";

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
