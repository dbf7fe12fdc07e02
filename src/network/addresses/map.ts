// The map of a network: single addresses where they are few, else parts of the network with how full they
// are. Only the block that is shown is read.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  type Block,
  blockAt,
  blockSize,
  formatAddress,
  formatBlock,
  readBlock,
} from "../../input/addresses.ts";
import { invalid } from "../../input/errors.ts";
import { assignableRange, type NetworkAddresses } from "./rows.ts";
import { usableRange } from "./space.ts";

const MOST_CELLS = 1024n;
/** Prefix bits between a block and its parts: a block has 256 parts. */
const STEP = 8;
/** Blocks of this prefix are shown cell by cell. */
const LEAF = 24;

export interface MapCell {
  ip: string;
  state: "free" | "used" | "gateway" | "kept" | "outside";
  /** The name of the host that has the address. */
  host?: string;
}

export interface MapPart {
  block: string;
  used: number;
  size: number;
}

export type AddressMap =
  | { kind: "cells"; block: Block; cells: MapCell[] }
  | { kind: "parts"; block: Block; parts: MapPart[] }
  /** IPv6 networks have no map: almost all of it would be free. */
  | { kind: "none"; block: Block };

/** The block of a network that a URL parameter names, by default the whole network. */
export function partOf({ address }: NetworkAddresses, wanted: string | null): Block {
  const whole = readBlock(address);
  const block = readBlock(wanted ?? address);
  const isInside =
    whole &&
    block &&
    whole.family === block.family &&
    whole.first <= block.first &&
    block.last <= whole.last;
  if (!isInside) throw invalid("block", `Use a block inside ${address}`);
  return block;
}

export async function mapOf(
  caller: Caller,
  { network, block }: { network: NetworkAddresses; block: Block },
): Promise<AddressMap> {
  if (block.family === 6) return { kind: "none", block };
  if (blockSize(block) <= MOST_CELLS) {
    return {
      kind: "cells",
      block,
      cells: cellsOf(await hostsIn(caller, network.id, block), { network, block }),
    };
  }
  const prefix = Math.min(LEAF, block.prefix + STEP);
  return {
    kind: "parts",
    block,
    parts: partsOf(await usedByPart(caller, network.id, { block, prefix }), { block, prefix }),
  };
}

async function hostsIn(
  caller: Caller,
  network: number,
  block: Block,
): Promise<Map<string, string>> {
  const rows = await database.rows<{ ip: string; host: string }>(sql`
    select host(interfaces.ip) as ip, hosts.name as host
    from interfaces join hosts on hosts.id = interfaces.host_id
    where interfaces.network_id = ${network} and interfaces.ip <<= ${formatBlock(block)}::cidr
      and ${mayKnowHost(caller, sql`interfaces.host_id`)}`);
  return new Map(rows.map(({ ip, host }) => [ip, host]));
}

interface NetworkPart {
  network: NetworkAddresses;
  block: Block;
}

function cellsOf(hosts: Map<string, string>, { network, block }: NetworkPart): MapCell[] {
  const usable = usableRange(readBlock(network.address) ?? block);
  const assignable = assignableRange(network);
  const { family, first } = block;
  return Array.from({ length: Number(blockSize(block)) }, (_, at) => {
    const value = first + BigInt(at);
    const ip = formatAddress({ family, value });
    const host = hosts.get(ip);
    if (host !== undefined) return { ip, state: "used", host };
    if (ip === network.gateway) return { ip, state: "gateway" };
    if (value < usable.low || value > usable.high) return { ip, state: "kept" };
    return { ip, state: assignable.low <= value && value <= assignable.high ? "free" : "outside" };
  });
}

interface Division {
  block: Block;
  prefix: number;
}

async function usedByPart(
  caller: Caller,
  network: number,
  { block, prefix }: Division,
): Promise<Map<string, number>> {
  const rows = await database.rows<{ part: string; used: number }>(sql`
    select network(set_masklen(interfaces.ip, ${prefix}))::text as part, count(*)::int as used
    from interfaces
    where interfaces.network_id = ${network} and interfaces.ip <<= ${formatBlock(block)}::cidr
      and ${mayKnowHost(caller, sql`interfaces.host_id`)}
    group by 1`);
  return new Map(rows.map(({ part, used }) => [part, used]));
}

function partsOf(counts: Map<string, number>, { block, prefix }: Division): MapPart[] {
  const size = 2 ** (32 - prefix);
  return Array.from({ length: 2 ** (prefix - block.prefix) }, (_, at) => {
    const value = block.first + BigInt(at) * BigInt(size);
    const part = formatBlock(blockAt({ family: 4, value }, prefix));
    return { block: part, used: counts.get(part) ?? 0, size };
  });
}

/** The blocks around the one that is shown, from the network inwards: links back on the page. */
export function enclosingBlocks({ address }: NetworkAddresses, block: Block): Block[] {
  const whole = readBlock(address);
  if (!whole || block.family === 6) return [];
  const prefixes: number[] = [];
  for (let prefix = whole.prefix; prefix < Math.min(LEAF, block.prefix); prefix += STEP) {
    prefixes.push(prefix);
  }
  return prefixes.map((prefix) => blockAt({ family: 4, value: block.first }, prefix));
}
