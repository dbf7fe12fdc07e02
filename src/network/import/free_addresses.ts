// Chooses the first free addresses of a network for the rows without one.
import { sql } from "drizzle-orm";
import { formatAddress, type IpAddress, readAddress } from "../../input/addresses.ts";
import type { Read } from "../../store/read.ts";
import { noAddressLeft } from "../addresses/allocation.ts";
import type { HostDraft } from "./drafts.ts";
import type { ImportNetwork } from "./existing_records.ts";
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
      else errors.push({ field: "ip", message: noAddressLeft(network) });
    });
  }
}

interface WantedAddresses {
  count: number;
  /** Addresses that rows give. */
  given: ReadonlySet<string>;
}

interface AddressRange {
  first: string;
  last: string;
}

async function firstFree(
  read: Read,
  { id }: ImportNetwork,
  { count, given }: WantedAddresses,
): Promise<string[]> {
  // Each range has a free address, unless rows give all of it.
  const ranges = await read<AddressRange>(sql`
    select host(first) as first, host(last) as last from free_addresses
    where network_id = ${id} order by free_addresses.last limit ${count + given.size}`);
  const found: string[] = [];
  for (const range of ranges) {
    for (const ip of addressesIn(range)) {
      if (found.length === count) return found;
      if (!given.has(ip)) found.push(ip);
    }
  }
  return found;
}

function* addressesIn({ first, last }: AddressRange): Generator<string> {
  const start = readAddress(first);
  const end = readAddress(last);
  if (!start || !end) return;
  for (let at: IpAddress = start; at.value <= end.value; at = { ...at, value: at.value + 1n }) {
    yield formatAddress(at);
  }
}

export const FIRST_FREE = "first free address";

export function shownAddress({ ip, isFirstFree }: Pick<InterfaceDraft, "ip" | "isFirstFree">) {
  return isFirstFree ? FIRST_FREE : ip;
}
