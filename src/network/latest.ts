// For the home page of who works on the network: where the next host can go, and the newest hosts.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";
import { mayUseNetwork } from "../store/may_edit.ts";
import { proposal } from "./addresses/allocation.ts";
import type { NetworkGrowth } from "./networks/growth.ts";

export interface FreeAddress {
  vlan_name: string;
  ip: string;
}

/** Networks that are looked at for a few that the caller may use. */
const MOST_LOOKED_AT = 50;

/** The first address, free to the knowledge of the caller, of networks into which the caller may put hosts, the most used ones first. */
export async function freeAddresses(
  caller: Caller,
  networks: NetworkGrowth[],
  most: number,
): Promise<FreeAddress[]> {
  const names = networks
    .toSorted((one, other) => grown(other) - grown(one) || other.used - one.used)
    .slice(0, MOST_LOOKED_AT)
    .map(({ vlan_name }) => vlan_name);
  if (names.length === 0) return [];
  return database.rows<FreeAddress>(sql`
    with usable as (
      select networks.id, networks.vlan_name, place
      from unnest(${sql.param(names)}::text[]) with ordinality named (name, place)
        join networks on lower(networks.vlan_name) = lower(named.name collate names)
      where ${mayKnowNetwork(caller)} and ${mayUseNetwork(caller)}
    )
    select vlan_name, host(free.ip) as ip
    from usable cross join lateral (${proposal(caller, sql`usable.id`)}) free
    order by place limit ${most}`);
}

function grown({ used, used_before }: NetworkGrowth): number {
  return used - used_before;
}

export interface RecentHost {
  name: string;
  device_type: string;
  at: string;
}

export function newestHosts(caller: Caller, most: number): Promise<RecentHost[]> {
  return database.rows<RecentHost>(sql`
    select hosts.name, device_types.name as device_type, shown(hosts.created_at) as at
    from hosts join device_types on device_types.id = device_type_id
    where ${mayKnowHost(caller, sql`hosts.id`)} order by hosts.id desc limit ${most}`);
}
