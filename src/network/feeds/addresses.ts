// The interfaces that feeds tell of, each with what stands around it.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { MAIN_INTERFACES } from "../interfaces/main_interface.ts";

export interface Address {
  name: string;
  ip: string;
  mac: string | null;
  host: string;
  /** The interface that stands for its host. */
  is_main: boolean;
  network_id: number;
  domain: string;
  /** Full names. */
  cnames: string[];
}

/** In the order of their addresses; `where` speaks of interfaces, networks and domains. */
export async function addresses(where: SQL): Promise<Address[]> {
  const rows = await database.rows<Omit<Address, "cnames"> & { cnames: string | null }>(sql`
    select interfaces.name, host(interfaces.ip) as ip, interfaces.mac::text as mac, hosts.name as host,
      interfaces.id = main.id as is_main, interfaces.network_id, domains.name as domain, aliases.names as cnames
    from interfaces
      join hosts on hosts.id = interfaces.host_id
      join ${MAIN_INTERFACES} main on main.host_id = hosts.id
      join networks on networks.id = interfaces.network_id
      join domains on domains.id = networks.domain_id
      left join (
        select interface_id, string_agg(name, ' ' order by name) as names from cnames group by interface_id
      ) aliases on aliases.interface_id = interfaces.id
    where ${where} order by interfaces.ip`);
  return rows.map((row) => ({ ...row, cnames: row.cnames?.split(" ") ?? [] }));
}

export function fullName({ name, domain }: Pick<Address, "name" | "domain">): string {
  return `${name}.${domain}`;
}

/** What an address is to be found by, its own name first: the host's where it stands for the host. */
export function labelsOf({ name, host, is_main }: Address): string[] {
  return is_main && host !== name ? [name, host] : [name];
}

export function isIPv6({ ip }: { ip: string }): boolean {
  return ip.includes(":");
}
