// Addresses for whoever fills in a form: what a network would give next, what is in a block.
import { type Block, readAddress, readBlock, written } from "../addresses.ts";
import type { Caller } from "../auth.ts";
import { invalid } from "../errors.ts";
import { usable } from "./address_space.ts";
import { propose } from "./allocation.ts";
import * as networks from "./networks.ts";

const MOST = 4096;

/** Of a network that the caller may know of; "" when it is full. */
export async function firstFree(caller: Caller, network: number): Promise<string> {
  await networks.find(caller, network);
  return propose(caller, network);
}

export interface Addresses {
  /** Those that something can have. Of IPv6 none are listed: even a small block has too many. */
  ips: string[];
  first: string;
  last: string;
}

export function addressesOf(subnet: string, prefix: number): Addresses {
  const block = blockOf(subnet, prefix);
  const { family } = block;
  const { low, high } = usable(block);
  const at = (value: bigint) => written({ family, value });
  const size = Number(high - low) + 1;
  if (family === 4 && size > MOST) {
    throw invalid("prefix", `Use a prefix of 20 or more: at most ${MOST} addresses are listed`);
  }
  const listed = family === 4 ? size : 0;
  const ips = Array.from({ length: listed }, (_, offset) => at(low + BigInt(offset)));
  return { ips, first: at(low), last: at(high) };
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
