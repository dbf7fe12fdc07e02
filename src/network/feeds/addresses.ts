// Reads interfaces with their host, network and domain for feeds.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { MAIN_INTERFACES } from "../interfaces/main_interface.ts";
import { isPublished } from "./selection.ts";

export interface FeedAddress {
  name: string;
  ip: string;
  mac: string | null;
  host: string;
  /** Whether it is the main interface of its host. */
  is_main: boolean;
  network_id: number;
  domain: string;
  /** Full names. */
  cnames: string[];
}

/** Ordered by address; `where` is a condition on interfaces, networks and domains. */
export async function addresses(where: SQL): Promise<FeedAddress[]> {
  // In SQL: names are aggregated over joins, once a feed.
  const rows = await database.rows<Omit<FeedAddress, "cnames"> & { cnames: string | null }>(sql`
    select interfaces.name, host(interfaces.ip) as ip, interfaces.mac::text as mac, hosts.name as host,
      interfaces.id = main.id as is_main, interfaces.network_id, domains.name as domain, aliases.names as cnames
    from interfaces
      join hosts on hosts.id = interfaces.host_id
      join ${MAIN_INTERFACES} main on main.host_id = hosts.id
      join networks on networks.id = interfaces.network_id
      join domains on domains.id = networks.domain_id
      left join (
        select interface_id, string_agg(name, ' ' order by name) as names from cnames
        where ${isPublished} group by interface_id
      ) aliases on aliases.interface_id = interfaces.id
    where ${where} order by interfaces.ip`);
  return rows.map((row) => ({ ...row, cnames: row.cnames?.split(" ") ?? [] }));
}

export function fullName({ name, domain }: Pick<FeedAddress, "name" | "domain">): string {
  return `${name}.${domain}`;
}

/** The labels of an address: the name of the interface and, for a main interface, that of the host. */
export function dnsLabelsOf({ name, host, is_main }: FeedAddress): string[] {
  return is_main && host !== name ? [name, host] : [name];
}

export function isIPv6({ ip }: { ip: string }): boolean {
  return ip.includes(":");
}
