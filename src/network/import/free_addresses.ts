// Chooses the first free addresses of a network for the rows without one.
import { sql } from "drizzle-orm";
import { type Address, formatAddress, readAddress } from "../../input/addresses.ts";
import type { Read } from "../../store/read.ts";
import type { HostDraft } from "./drafts.ts";
import { type ImportNetwork, normalIp } from "./existing_records.ts";
import type { InterfaceDraft } from "./interfaces.ts";

/** Refuses the rows for which the network has no address left. Hosts that are refused get none. */
export async function chooseAddresses(read: Read, hosts: HostDraft[]): Promise<void> {
  const rows = hosts.flatMap((host) => host.rows);
  const given = new Set(rows.flatMap((row) => row.interface?.ip ?? []));
  const wanting = hosts
    .filter((host) => host.rows.every(({ errors }) => errors.length === 0))
    .flatMap((host) => host.rows)
    .filter((row) => row.interface?.isFirstFree)
    .toSorted((one, other) => one.line - other.line);
  const byNetwork = Map.groupBy(wanting, (row) => row.interface?.network);
  for (const [network, own] of byNetwork) {
    if (!network) continue;
    const free = await firstFree(read, network, { count: own.length, given });
    own.forEach(({ interface: nic, errors }, at) => {
      const ip = free[at];
      if (nic && ip !== undefined) nic.ip = ip;
      else errors.push({ field: "ip", message: `no address left in ${network.vlan_name}` });
    });
  }
}

interface WantedAddresses {
  count: number;
  /** Addresses that rows give. */
  given: ReadonlySet<string>;
}

interface Gap {
  first: string;
  /** The address in use behind it; null if there is none. */
  end: string | null;
}

async function firstFree(
  read: Read,
  { id, first_ip, last_ip, reserved }: ImportNetwork,
  { count, given }: WantedAddresses,
): Promise<string[]> {
  const excluded = new Set([...given, ...reserved.map(normalIp)]);
  // Each gap has an address unless it is excluded.
  const most = count + excluded.size;
  const gaps = await read<Gap>(sql`
    with used as (
      select ip, lead(ip) over (order by ip) as next from interfaces
      where network_id = ${id} and ip between ${first_ip}::inet and ${last_ip}::inet
    )
    select ${first_ip}::text as first, host(min(ip)) as end from used
    union all (
      select host(ip + 1), host(next) from used
      where ip < ${last_ip}::inet and next is distinct from ip + 1 order by ip limit ${most})`);
  const found: string[] = [];
  for (const gap of gaps) {
    for (const ip of addressesIn(gap, last_ip)) {
      if (found.length === count) return found;
      if (!excluded.has(ip)) found.push(ip);
    }
  }
  return found;
}

function* addressesIn({ first, end }: Gap, last: string): Generator<string> {
  const start = readAddress(first);
  const after = end === null ? undefined : readAddress(end);
  const until = after?.value ?? (readAddress(last)?.value ?? 0n) + 1n;
  if (!start) return;
  for (let at: Address = start; at.value < until; at = { ...at, value: at.value + 1n }) {
    yield formatAddress(at);
  }
}

export const FIRST_FREE = "first free address";

export function shownAddress({ ip, isFirstFree }: Pick<InterfaceDraft, "ip" | "isFirstFree">) {
  return isFirstFree ? FIRST_FREE : ip;
}
