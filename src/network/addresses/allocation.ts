// Which address an interface gets. The network's row is locked first, so that two requests never get the
// same one: the second sees what the first took.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { type Fault, invalid } from "../../input/errors.ts";
import { onlyForAdmins } from "../../store/may_edit.ts";
import { inside } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

export interface Ground {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  domain_id: number;
  admin_only: boolean;
}

/** A network of this name in which the caller may work, locked until the transaction ends. */
export async function takeGround(tx: Transaction, caller: Caller, name: string): Promise<Ground> {
  const [found] = await inside(tx)<Ground>(sql`
    select id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip, domain_id, admin_only
    from networks where lower(vlan_name) = lower(${name}::text collate names) and ${mayKnowNetwork(caller)}
    for no key update`);
  if (!found) throw invalid("network", `'${name}' is not a valid network`);
  if (found.admin_only && !isAdmin(caller)) throw onlyForAdmins(found.vlan_name);
  return found;
}

/** The address that was asked for, if this caller may have it there, else the first free one. */
export async function allocate(
  tx: Transaction,
  caller: Caller,
  { ground, ip }: { ground: Ground; ip: string | null | undefined },
): Promise<string> {
  if (ip != null) {
    const fault = await faultOf(tx, caller, { ground, ip });
    if (fault) throw invalid(fault.field, fault.message);
    return ip;
  }
  const [free] = await inside(tx)<{ ip: string }>(firstFree(ground.id));
  if (!free) throw invalid("ip", `no address left in ${ground.vlan_name}`);
  return free.ip;
}

/** What a network would give next, as far as this caller may know; "" when it is full. */
export async function propose(caller: Caller, network: number): Promise<string> {
  const known = mayKnowHost(caller, sql`taken.host_id`);
  const free = await database.row<{ ip: string }>(firstFree(network, known));
  return free?.ip ?? "";
}

/** What it would truly give next: for whoever tried to take an address there and may have one. */
export async function nextFree(network: number): Promise<string> {
  const free = await database.row<{ ip: string }>(firstFree(network));
  return free?.ip ?? "";
}

async function faultOf(
  tx: Transaction,
  caller: Caller,
  { ground, ip }: { ground: Ground; ip: string },
): Promise<Fault | undefined> {
  const [where] = await inside(tx)<{ inside: boolean; ranged: boolean; reserved: boolean }>(sql`
    select ${ip}::inet <<= address as inside, ${ip}::inet between first_ip and last_ip as ranged,
      ${ip}::inet = any(${RESERVED}) as reserved
    from networks where id = ${ground.id}`);
  if (!where?.inside) return { field: "ip", message: `Use an address inside of ${ground.address}` };
  if (!where.ranged && !isAdmin(caller)) {
    return { field: "ip", message: `Use an address from ${ground.first_ip} to ${ground.last_ip}` };
  }
  if (!where.reserved || (isAdmin(caller) && caller.wishes?.force)) return undefined;
  const sentence = reservedAddress(ground.vlan_name);
  return { field: "ip", message: isAdmin(caller) ? `${sentence}${BY_FORCE}` : sentence };
}

/** The sentence for the gateway, network or broadcast address of a network. */
export function reservedAddress(network: string): string {
  return `This is the gateway, network or broadcast address of ${network}`;
}

/** How an admin uses it all the same; the forms then offer a box for it. */
export const BY_FORCE = "; send force=true to use it";

/** The addresses of a row of networks that no interface gets: in blocks of one or two addresses, the gateway alone. */
const RESERVED = sql`array_remove(array[gateway] || case
    when masklen(address) < case family(address) when 4 then 31 else 127 end
    then array[host(address)::inet] || case family(address) when 4
      then array[host(broadcast(address))::inet] else '{}'::inet[] end
    else '{}'::inet[] end, null)`;

/** Whether an address is one of them. */
export function isReserved(ip: string, network: number): SQL {
  return sql`(select ${ip}::inet = any(${RESERVED}) from networks where id = ${network})`;
}

/**
 * The lowest address of the range that is neither taken nor the gateway, the network's own or its
 * broadcast address. It is the first of the range or follows on one that is not to be had; so nothing
 * is enumerated, however large the network, and the walk ends at the first gap.
 */
function firstFree(network: number, counts = sql`true`) {
  return sql`
    with ground as materialized (
      select first_ip, last_ip, ${RESERVED} as kept from networks where id = ${network}
    )
    select host(candidate.ip) as ip
    from ground, lateral (
      select first_ip as ip
      union all select one + 1 from unnest(kept) one where one < last_ip
      union all (
        select ip + 1 from (
          select ip, lead(ip) over (order by ip) as next from interfaces taken
          where network_id = ${network} and ip between first_ip and last_ip and ${counts}
        ) walk
        where ip < last_ip and next is distinct from ip + 1 and ip + 1 <> all(kept) order by ip limit 1)
    ) candidate
    where candidate.ip between first_ip and last_ip and candidate.ip <> all(kept)
      and not exists (select from interfaces taken where network_id = ${network} and taken.ip = candidate.ip and ${counts})
    order by candidate.ip limit 1`;
}
