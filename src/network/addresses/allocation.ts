// Allocates addresses to interfaces. The database keeps the free addresses of each network, and claim_address() locks the
// network and returns the first one: as a part of the statement that writes the interface, so that others wait as
// shortly as possible.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { lacksValue } from "../../../db/errors.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowNetwork } from "../../auth/visibility.ts";
import { type FieldError, invalid, type Refusal, refuse } from "../../input/errors.ts";
import { isForAdmins, onlyForAdmins } from "../../store/may_edit.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import { isRepeated, type Transaction } from "../../store/write.ts";

export interface ChosenNetwork {
  id: number;
  vlan_name: string;
  address: string;
  first_ip: string;
  last_ip: string;
  is_for_admins: boolean;
  version: number;
}

const CHOSEN = sql`id, vlan_name, address, host(first_ip) as first_ip, host(last_ip) as last_ip, version`;

function networkNamed(caller: Caller, name: string): SQL {
  return sql`select ${CHOSEN}, ${isForAdmins(caller)} as is_for_admins from networks
    where lower(vlan_name) = lower(${name}::text collate names) and ${mayKnowNetwork(caller)}`;
}

/**
 * The network of this name, if the caller may use it. It is not locked, unless the transaction failed before because the
 * network was changed after it had been read.
 */
export async function chooseNetwork(
  tx: Transaction,
  caller: Caller,
  name: string,
): Promise<ChosenNetwork> {
  if (isRepeated(tx)) return lockNetwork(tx, caller, name);
  const [found] = await tx.execute<ChosenNetwork>(networkNamed(caller, name));
  return usable(tx, caller, name, found);
}

/** The network of this name, if the caller may use it, locked until the transaction ends. */
export async function lockNetwork(
  tx: Transaction,
  caller: Caller,
  name: string,
): Promise<ChosenNetwork> {
  const [found] = await tx.execute<ChosenNetwork>(
    sql`${networkNamed(caller, name)} for no key update`,
  );
  return usable(tx, caller, name, found);
}

async function usable(
  tx: Transaction,
  caller: Caller,
  name: string,
  found: ChosenNetwork | undefined,
): Promise<ChosenNetwork> {
  if (!found) {
    const wrong = { field: "network", name, table: "networks", column: "vlan_name" };
    throw refuse([await unknownRecord(tx, caller, wrong)]);
  }
  if (found.is_for_admins) throw onlyForAdmins(found.vlan_name);
  return found;
}

interface WantedAddress {
  network: ChosenNetwork;
  /** Without one, the first free address. */
  ip: string | null | undefined;
}

/** Writes an interface with a claimed address, by one statement. The network is locked from then on. */
export async function writeWithAddress<T>(
  tx: Transaction,
  caller: Caller,
  { network, ip }: WantedAddress,
  send: (address: SQL) => Promise<T>,
): Promise<T> {
  if (ip != null) {
    const error = await addressError(tx, caller, { network, ip });
    if (error) throw refuse([error]);
  }
  const address = sql`claim_address(${network.id}, ${network.version}, ${ip ?? null}::inet)`;
  return send(address).catch((error) => {
    // Nothing was claimed, and an interface without an address is refused.
    throw lacksValue(error, "interfaces") ? networkFull(network) : error;
  });
}

/** The requested address, if the caller may use it in this network, else the first free one. */
export async function allocate(
  tx: Transaction,
  caller: Caller,
  wanted: WantedAddress,
): Promise<string> {
  return writeWithAddress(tx, caller, wanted, async (address) => {
    const [claimed] = await tx.execute<{ ip: string | null }>(sql`select host(${address}) as ip`);
    if (claimed?.ip == null) throw networkFull(wanted.network);
    return claimed.ip;
  });
}

/** The first address that is free to the knowledge of the caller; "" when the network is full. */
export async function propose(caller: Caller, network: number): Promise<string> {
  const free = await database.row<{ ip: string }>(
    sql`select host(ip) as ip from (${proposal(caller, sql`${network}::integer`)}) free`,
  );
  return free?.ip ?? "";
}

/** The same as a statement for a network of another one. */
export function proposal(caller: Caller, network: SQL): SQL {
  const hidden = hiddenHosts(caller);
  const ofHidden = hidden
    ? sql`union all (
        select ip from interfaces taken join networks on networks.id = network_id
        where network_id = ${network} and ip between first_ip and last_ip
          and ip <> all(${RESERVED}) and taken.host_id in (${hidden})
        order by ip limit 1)`
    : sql``;
  return sql`select ip from ((${firstFree(network)}) ${ofHidden}) known order by ip limit 1`;
}

/** The first free address, hidden hosts counted: for callers who may allocate in this network. */
export async function nextFree(network: number): Promise<string> {
  const free = await database.row<{ ip: string }>(
    sql`select host(ip) as ip from (${firstFree(sql`${network}`)}) free`,
  );
  return free?.ip ?? "";
}

function firstFree(network: SQL): SQL {
  return sql`select first as ip from free_addresses where network_id = ${network} order by last limit 1`;
}

async function addressError(
  tx: Transaction,
  caller: Caller,
  { network, ip }: { network: ChosenNetwork; ip: string },
): Promise<FieldError | undefined> {
  const [where] = await tx.execute<{ inside: boolean; ranged: boolean; reserved: boolean }>(sql`
    select ${ip}::inet <<= address as inside, ${ip}::inet between first_ip and last_ip as ranged,
      ${ip}::inet = any(${RESERVED}) as reserved
    from networks where id = ${network.id}`);
  if (!where?.inside) return { field: "ip", message: useInside(network.address), code: "outside" };
  if (!where.ranged && !isAdmin(caller)) {
    return {
      field: "ip",
      message: useInRange(network),
      code: "outside",
    };
  }
  if (!where.reserved || (isAdmin(caller) && caller.options?.force)) return undefined;
  const sentence = reservedAddress(network.vlan_name);
  // Only where there is such an option.
  const hint = isAdmin(caller) && caller.options?.force !== undefined ? FORCE_HINT : "";
  return { field: "ip", message: `${sentence}${hint}` };
}

function networkFull({ vlan_name }: { vlan_name: string }): Refusal {
  return invalid("ip", `no address left in ${vlan_name}`, "network_full");
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

/** The addresses of a row of networks that are never allocated. */
export const RESERVED = sql`reserved_addresses(address, gateway)`;

/** Whether an address is reserved in a network. */
export function isReserved(ip: string, network: number): SQL {
  return sql`(select ${ip}::inet = any(${RESERVED}) from networks where id = ${network})`;
}
