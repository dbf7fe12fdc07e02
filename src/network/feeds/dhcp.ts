// The networks that a DHCP server serves, each with the interfaces that have a MAC address.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { addresses, type FeedAddress } from "./addresses.ts";
import { type FilterNames, select } from "./selection.ts";

export interface ServedNetwork {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway: string | null;
  domain: string;
  leases: Array<FeedAddress & { mac: string }>;
}

/** Only networks that the server supports. */
export async function servedNetworks(
  caller: Caller,
  names: FilterNames,
  isServed: SQL,
): Promise<ServedNetwork[]> {
  const { interfaces, networks } = await select(caller, names);
  const found = await database.rows<Omit<ServedNetwork, "leases">>(sql`
    select networks.id, vlan_name, networks.address::text as address, host(first_ip) as first_ip,
      host(last_ip) as last_ip, host(gateway) as gateway, domains.name as domain
    from networks join domains on domains.id = networks.domain_id
    where ${isServed} and ${mayKnowNetwork(caller)} and ${networks}
    order by networks.address`);
  const known = await addresses(sql`interfaces.mac is not null and ${interfaces}`);
  const leases = Map.groupBy(known, ({ network_id }) => network_id);
  return found.map((one) => ({
    ...one,
    leases: (leases.get(one.id) ?? []) as ServedNetwork["leases"],
  }));
}
