// Where there is room in a block of addresses, and what a network cut from it would look like. Reckoned by
// gaps: nothing is enumerated, however large the block.
import { type Block, blockAt, formatAddress } from "../../input/addresses.ts";

const BITS = { 4: 32, 6: 128 } as const;

/** What none of the used blocks covers, as the largest blocks that fit, in order. */
export function gaps(whole: Block, used: Block[]): Block[] {
  const inside = used.filter((one) => one.first <= whole.last && whole.first <= one.last);
  if (inside.length === 0) return [whole];
  if (inside.some((one) => one.prefix <= whole.prefix)) return [];
  return halves(whole).flatMap((half) => gaps(half, inside));
}

interface Wanted {
  prefix: number;
  most: number;
}

/** The first free blocks of a size, and how many there are. */
export function freeBlocks(
  whole: Block,
  used: Block[],
  { prefix, most }: Wanted,
): { blocks: Block[]; total: bigint } {
  const roomy = gaps(whole, used).filter((gap) => gap.prefix <= prefix);
  const total = roomy.reduce((sum, gap) => sum + (1n << BigInt(prefix - gap.prefix)), 0n);
  const blocks: Block[] = [];
  for (const gap of roomy) {
    for (let at = gap.first; at <= gap.last && blocks.length < most; ) {
      const block = blockAt({ family: gap.family, value: at }, prefix);
      blocks.push(block);
      at = block.last + 1n;
    }
  }
  return { blocks, total };
}

/** The sizes that a network cut from a block can sensibly have. */
export function prefixesIn({ family, prefix }: Block): number[] {
  const longest = Math.max(prefix, family === 4 ? 30 : 64);
  return Array.from({ length: longest - prefix + 1 }, (_, at) => prefix + at);
}

/** The size that is proposed: what most networks have. */
export function usualPrefix({ family, prefix }: Block): number {
  return Math.max(prefix, family === 4 ? 24 : 64);
}

export interface Ends {
  low: bigint;
  high: bigint;
}

/** Addresses that something can have: without the network's own and, in IPv4, its broadcast address. */
export function usable({ family, prefix, first, last }: Block): Ends {
  if (prefix >= BITS[family] - 1) return { low: first, high: last };
  return { low: first + 1n, high: family === 4 ? last - 1n : last };
}

export interface Range {
  first_ip: string;
  last_ip: string;
  gateway: string;
}

/** The gateway at the end of an IPv4 network and at the beginning of an IPv6 one, the rest to give away. */
export function proposedRange(block: Block): Range {
  const { family } = block;
  const { low, high } = usable(block);
  const range = (first: bigint, last: bigint, gateway?: bigint) => ({
    first_ip: formatAddress({ family, value: first }),
    last_ip: formatAddress({ family, value: last }),
    gateway: gateway === undefined ? "" : formatAddress({ family, value: gateway }),
  });
  if (low === high) return range(low, high);
  return family === 4 ? range(low, high - 1n, high) : range(low + 1n, high, low);
}

/** Where a block lies in another, as a part of a square that is halved bit by bit: its area is its share. */
export interface Plot {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function plotOf(whole: Block, block: Block): Plot {
  const plot = { x: 0, y: 0, width: 1, height: 1 };
  for (let depth = 1; depth <= block.prefix - whole.prefix; depth += 1) {
    const isUpper =
      ((block.first >> BigInt(BITS[block.family] - whole.prefix - depth)) & 1n) === 1n;
    const [at, size] = depth % 2 === 1 ? (["x", "width"] as const) : (["y", "height"] as const);
    plot[size] /= 2;
    if (isUpper) plot[at] += plot[size];
  }
  return plot;
}

function halves({ family, prefix, first, last }: Block): Block[] {
  return [first, last].map((value) => blockAt({ family, value }, prefix + 1));
}
