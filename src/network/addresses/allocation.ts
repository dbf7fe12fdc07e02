// Allocates addresses to interfaces. The network's row is locked first, so that two requests never get the
// same address: the second one sees what the first one allocated.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { type FieldError, invalid, refuse, unknownName } from "../../input/errors.ts";
import { onlyForAdmins } from "../../store/may_edit.ts";
import { readIn } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";

interface LockedNetwork {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  domain_id: number;
  admin_only: boolean;
}

/** The network of this name, if the caller may use it, locked until the transaction ends. */
export async function lockNetwork(
  tx: Transaction,
  caller: Caller,
  name: string,
): Promise<LockedNetwork> {
  const [found] = await readIn(tx)<LockedNetwork>(sql`
    select id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip, domain_id, admin_only
    from networks where lower(vlan_name) = lower(${name}::text collate names) and ${mayKnowNetwork(caller)}
    for no key update`);
  if (!found) throw refuse([unknownName("network", name)]);
  if (found.admin_only && !isAdmin(caller)) throw onlyForAdmins(found.vlan_name);
  return found;
}

/** The requested address, if the caller may use it in this network, else the first free one. */
export async function allocate(
  tx: Transaction,
  caller: Caller,
  { network, ip }: { network: LockedNetwork; ip: string | null | undefined },
): Promise<string> {
  if (ip != null) {
    const error = await addressError(tx, caller, { network, ip });
    if (error) throw invalid(error.field, error.message);
    return ip;
  }
  const [free] = await readIn(tx)<{ ip: string }>(firstFree(network.id));
  if (!free) throw invalid("ip", `no address left in ${network.vlan_name}`);
  return free.ip;
}

/** The first address that is free to the knowledge of the caller; "" when the network is full. */
export async function propose(caller: Caller, network: number): Promise<string> {
  const known = mayKnowHost(caller, sql`taken.host_id`);
  const free = await database.row<{ ip: string }>(firstFree(network, known));
  return free?.ip ?? "";
}

/** The first free address, hidden hosts counted: for callers who may allocate in this network. */
export async function nextFree(network: number): Promise<string> {
  const free = await database.row<{ ip: string }>(firstFree(network));
  return free?.ip ?? "";
}

async function addressError(
  tx: Transaction,
  caller: Caller,
  { network, ip }: { network: LockedNetwork; ip: string },
): Promise<FieldError | undefined> {
  const [where] = await readIn(tx)<{ inside: boolean; ranged: boolean; reserved: boolean }>(sql`
    select ${ip}::inet <<= address as inside, ${ip}::inet between first_ip and last_ip as ranged,
      ${ip}::inet = any(${RESERVED}) as reserved
    from networks where id = ${network.id}`);
  if (!where?.inside) return { field: "ip", message: useInside(network.address) };
  if (!where.ranged && !isAdmin(caller)) {
    return {
      field: "ip",
      message: useInRange(network),
    };
  }
  if (!where.reserved || (isAdmin(caller) && caller.options?.force)) return undefined;
  const sentence = reservedAddress(network.vlan_name);
  return { field: "ip", message: isAdmin(caller) ? `${sentence}${FORCE_HINT}` : sentence };
}

export function useInside(block: string): string {
  return `Use an address inside ${block}`;
}

export function useInRange({ first_ip, last_ip }: { first_ip: string; last_ip: string }): string {
  return `Use an address from ${first_ip} to ${last_ip}`;
}

/** The sentence for the gateway, network or broadcast address of a network. */
export function reservedAddress(network: string): string {
  return `This is the gateway, network or broadcast address of ${network}`;
}

/** Added to the sentence for admins; forms recognise this text and offer a checkbox. */
export const FORCE_HINT = "; send force=true to use it";

/** The addresses of a row of networks that are never allocated: in blocks of one or two addresses, the gateway alone. */
export const RESERVED = sql`array_remove(array[gateway] || case
    when masklen(address) < case family(address) when 4 then 31 else 127 end
    then array[host(address)::inet] || case family(address) when 4
      then array[host(broadcast(address))::inet] else '{}'::inet[] end
    else '{}'::inet[] end, null)`;

/** Whether an address is reserved in a network. */
export function isReserved(ip: string, network: number): SQL {
  return sql`(select ${ip}::inet = any(${RESERVED}) from networks where id = ${network})`;
}

/**
 * The lowest address of the range that is neither in use nor reserved. It is either the first of the range
 * or follows an address that is not available, so addresses are not enumerated, however large the network,
 * and the search ends at the first gap.
 */
function firstFree(network: number, counts = sql`true`) {
  // In SQL: address arithmetic and window functions.
  return sql`
    with allocation as materialized (
      select first_ip, last_ip, ${RESERVED} as reserved from networks where id = ${network}
    )
    select host(candidate.ip) as ip
    from allocation, lateral (
      select first_ip as ip
      union all select one + 1 from unnest(reserved) one where one < last_ip
      union all (
        select ip + 1 from (
          select ip, lead(ip) over (order by ip) as next from interfaces taken
          where network_id = ${network} and ip between first_ip and last_ip and ${counts}
        ) walk
        where ip < last_ip and next is distinct from ip + 1 and ip + 1 <> all(reserved) order by ip limit 1)
    ) candidate
    where candidate.ip between first_ip and last_ip and candidate.ip <> all(reserved)
      and not exists (select from interfaces taken where network_id = ${network} and taken.ip = candidate.ip and ${counts})
    order by candidate.ip limit 1`;
}
