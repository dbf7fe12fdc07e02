// Addresses for whoever fills in a form: what a network would give next, what is in a block.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { type Block, formatAddress, readAddress, readBlock } from "../../input/addresses.ts";
import { invalid } from "../../input/errors.ts";
import { propose } from "../addresses/allocation.ts";
import { type Ends, usable } from "../addresses/space.ts";
import * as networks from "./networks.ts";

/** So many addresses are listed. */
const MOST = 4096;

/** Of a network that the caller may know of; "" when it is full. */
export async function firstFree(caller: Caller, network: number): Promise<string> {
  await networks.find(caller, network);
  return propose(caller, network);
}

export interface Addresses {
  /** Those that something can have: all of a small block, of a larger one the first that are free. */
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
  const ends = usable(block);
  const values = ends.high - ends.low < MOST ? all(ends) : await firstFreeIn(caller, family, ends);
  const at = (value: bigint) => formatAddress({ family, value });
  return { ips: values.map(at), first: at(ends.low), last: at(ends.high) };
}

function all({ low, high }: Ends): bigint[] {
  return Array.from({ length: Number(high - low) + 1 }, (_, offset) => low + BigInt(offset));
}

/** As far as the caller may know. What is taken is read until there are enough gaps, not the whole block. */
async function firstFreeIn(caller: Caller, family: 4 | 6, { low, high }: Ends): Promise<bigint[]> {
  const found: bigint[] = [];
  for (let next = low; next <= high && found.length < MOST; ) {
    const taken = await takenFrom(caller, family, { low: next, high });
    const end = taken.length === MOST ? (taken.at(-1) ?? high) : high;
    const isTaken = new Set(taken);
    for (; next <= end && found.length < MOST; next += 1n) {
      if (!isTaken.has(next)) found.push(next);
    }
  }
  return found;
}

async function takenFrom(caller: Caller, family: 4 | 6, { low, high }: Ends): Promise<bigint[]> {
  const at = (value: bigint) => sql`${formatAddress({ family, value })}::inet`;
  const rows = await database.rows<{ ip: string }>(sql`
    select host(taken.ip) as ip from interfaces taken
    where taken.ip between ${at(low)} and ${at(high)} and ${mayKnowHost(caller, sql`taken.host_id`)}
    order by taken.ip limit ${MOST}`);
  return rows.flatMap(({ ip }) => readAddress(ip)?.value ?? []);
}

function blockOf(subnet: string, prefix: number): Block {
  const address = readAddress(subnet);
  if (!address) throw invalid("subnet", "Use an address such as 10.0.0.0 or 2001:db8::");
  const longest = address.family === 4 ? 32 : 128;
  if (prefix > longest) throw invalid("prefix", `Use a prefix from 0 to ${longest}`);
  const block = readBlock(`${subnet}/${prefix}`);
  if (!block) throw invalid("subnet", `Use an address with no bit set behind the prefix ${prefix}`);
  return block;
}
