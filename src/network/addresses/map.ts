// A network as a map: its addresses one by one where they are few, else its parts with how full they are,
// each to be looked into. Read for what is shown and nothing beyond.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  type Block,
  blockAt,
  formatAddress,
  formatBlock,
  readBlock,
  sizeOf,
} from "../../input/addresses.ts";
import { invalid } from "../../input/errors.ts";
import { type Ground, givenBy } from "./rows.ts";
import { usable } from "./space.ts";

const MOST_CELLS = 1024n;
/** How many bits a part has more than the block that it is a part of: 256 parts. */
const STEP = 8;
/** A part that is shown cell by cell. */
const LEAF = 24;

export interface Cell {
  ip: string;
  state: "free" | "used" | "gateway" | "kept" | "outside";
  /** Whose it is. */
  host?: string;
}

export interface Part {
  block: string;
  used: number;
  size: number;
}

export type AddressMap =
  | { kind: "cells"; block: Block; cells: Cell[] }
  | { kind: "parts"; block: Block; parts: Part[] }
  /** Of IPv6 no map is drawn: it would show nothing but emptiness. */
  | { kind: "none"; block: Block };

/** The part of a network that an address names, or all of it. */
export function partOf({ address }: Ground, wanted: string | null): Block {
  const whole = readBlock(address);
  const block = readBlock(wanted ?? address);
  const isInside =
    whole &&
    block &&
    whole.family === block.family &&
    whole.first <= block.first &&
    block.last <= whole.last;
  if (!isInside) throw invalid("block", `Use a block inside of ${address}`);
  return block;
}

export async function mapOf(
  caller: Caller,
  { ground, block }: { ground: Ground; block: Block },
): Promise<AddressMap> {
  if (block.family === 6) return { kind: "none", block };
  if (sizeOf(block) <= MOST_CELLS) {
    return {
      kind: "cells",
      block,
      cells: cellsOf(await hostsIn(caller, ground.id, block), { ground, block }),
    };
  }
  const prefix = Math.min(LEAF, block.prefix + STEP);
  return {
    kind: "parts",
    block,
    parts: partsOf(await fillOf(caller, ground.id, { block, prefix }), { block, prefix }),
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

interface Place {
  ground: Ground;
  block: Block;
}

function cellsOf(hosts: Map<string, string>, { ground, block }: Place): Cell[] {
  const own = usable(readBlock(ground.address) ?? block);
  const given = givenBy(ground);
  const { family, first } = block;
  return Array.from({ length: Number(sizeOf(block)) }, (_, at) => {
    const value = first + BigInt(at);
    const ip = formatAddress({ family, value });
    const host = hosts.get(ip);
    if (host !== undefined) return { ip, state: "used", host };
    if (ip === ground.gateway) return { ip, state: "gateway" };
    if (value < own.low || value > own.high) return { ip, state: "kept" };
    return { ip, state: given.low <= value && value <= given.high ? "free" : "outside" };
  });
}

interface Parting {
  block: Block;
  prefix: number;
}

async function fillOf(
  caller: Caller,
  network: number,
  { block, prefix }: Parting,
): Promise<Map<string, number>> {
  const rows = await database.rows<{ part: string; used: number }>(sql`
    select network(set_masklen(interfaces.ip, ${prefix}))::text as part, count(*)::int as used
    from interfaces
    where interfaces.network_id = ${network} and interfaces.ip <<= ${formatBlock(block)}::cidr
      and ${mayKnowHost(caller, sql`interfaces.host_id`)}
    group by 1`);
  return new Map(rows.map(({ part, used }) => [part, used]));
}

function partsOf(fill: Map<string, number>, { block, prefix }: Parting): Part[] {
  const size = 2 ** (32 - prefix);
  return Array.from({ length: 2 ** (prefix - block.prefix) }, (_, at) => {
    const value = block.first + BigInt(at) * BigInt(size);
    const part = formatBlock(blockAt({ family: 4, value }, prefix));
    return { block: part, used: fill.get(part) ?? 0, size };
  });
}

/** What lies around the part that is shown, from the network inwards: the way back. */
export function around({ address }: Ground, block: Block): Block[] {
  const whole = readBlock(address);
  if (!whole || block.family === 6) return [];
  const prefixes: number[] = [];
  for (let prefix = whole.prefix; prefix < Math.min(LEAF, block.prefix); prefix += STEP) {
    prefixes.push(prefix);
  }
  return prefixes.map((prefix) => blockAt({ family: 4, value: block.first }, prefix));
}
