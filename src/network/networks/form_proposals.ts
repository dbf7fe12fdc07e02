// Address proposals for forms: the next free address of a network, and the addresses of a block.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { hiddenHosts } from "../../auth/visibility.ts";
import { type Block, formatAddress, readAddress, readBlock } from "../../input/addresses.ts";
import { invalid } from "../../input/errors.ts";
import * as crud from "../../store/crud.ts";
import { propose } from "../addresses/allocation.ts";
import { type Bounds, usableRange } from "../addresses/space.ts";
import { network as described } from "./network.ts";

/** The largest number of addresses that are listed. */
const MOST_ADDRESSES = 4096;

/** The first free address of a network that is visible to the caller; "" if it is full. */
export async function firstFree(caller: Caller, network: number): Promise<string> {
  await crud.find(described, caller, network);
  return propose(caller, network);
}

export interface Addresses {
  /** All usable addresses of a small block; of a larger one the first free ones. */
  ips: string[];
  first: string;
  last: string;
}

export async function addressesOf(
  caller: Caller,
  subnet: string,
  prefix: number,
): Promise<Addresses> {
  const block = blockOf(subnet, prefix);
  const { family } = block;
  const ends = usableRange(block);
  const values =
    ends.high - ends.low < MOST_ADDRESSES ? all(ends) : await firstFreeIn(caller, family, ends);
  const at = (value: bigint) => formatAddress({ family, value });
  return { ips: values.map(at), first: at(ends.low), last: at(ends.high) };
}

function all({ low, high }: Bounds): bigint[] {
  return Array.from({ length: Number(high - low) + 1 }, (_, offset) => low + BigInt(offset));
}

/** Addresses of hidden hosts count as free. Used addresses are read in batches until there are enough gaps. */
async function firstFreeIn(
  caller: Caller,
  family: 4 | 6,
  { low, high }: Bounds,
): Promise<bigint[]> {
  const found: bigint[] = [];
  for (let next = low; next <= high && found.length < MOST_ADDRESSES; ) {
    const used = await usedFrom(caller, family, { low: next, high });
    const end = used.length === MOST_ADDRESSES ? (used.at(-1) ?? high) : high;
    const isUsed = new Set(used);
    for (; next <= end && found.length < MOST_ADDRESSES; next += 1n) {
      if (!isUsed.has(next)) found.push(next);
    }
  }
  return found;
}

async function usedFrom(caller: Caller, family: 4 | 6, { low, high }: Bounds): Promise<bigint[]> {
  const at = (value: bigint) => sql`${formatAddress({ family, value })}::inet`;
  // As a set: most addresses of a block may be those of a few hosts.
  const hidden = hiddenHosts(caller);
  const isVisible = hidden ? sql`taken.host_id not in (${hidden})` : sql`true`;
  const rows = await database.rows<{ ip: string }>(sql`
    select host(taken.ip) as ip from interfaces taken
    where taken.ip between ${at(low)} and ${at(high)} and ${isVisible}
    order by taken.ip limit ${MOST_ADDRESSES}`);
  return rows.flatMap(({ ip }) => readAddress(ip)?.value ?? []);
}

function blockOf(subnet: string, prefix: number): Block {
  const address = readAddress(subnet);
  if (!address) throw invalid("subnet", "Use an address such as 10.0.0.0 or 2001:db8::");
  const longest = address.family === 4 ? 32 : 128;
  if (prefix > longest) throw invalid("prefix", `Use a prefix from 0 to ${longest}`);
  const block = readBlock(`${subnet}/${prefix}`);
  if (!block)
    throw invalid("subnet", `This address is not the start of a block of the size ${prefix}`);
  return block;
}
