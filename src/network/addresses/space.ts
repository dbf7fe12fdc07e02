// Free space in a block of addresses, and proposals for a network in it. Computed from gaps: addresses are
// not enumerated, however large the block.
import { type Block, blockAt, contains, formatAddress } from "../../input/addresses.ts";

const BITS = { 4: 32, 6: 128 } as const;

/** The space that no used block covers, as the largest possible blocks, in order. */
export function gaps(whole: Block, used: Block[]): Block[] {
  const inside = used.filter((one) => one.first <= whole.last && whole.first <= one.last);
  if (inside.length === 0) return [whole];
  if (inside.some((one) => one.prefix <= whole.prefix)) return [];
  return halves(whole).flatMap((half) => gaps(half, inside));
}

/** How much larger than the largest block the part around all of them is, in bits. */
const ROOM = 3;

/** The smallest part of a block that contains all the others, and room beside them. */
export function partAround(whole: Block, used: Block[]): Block {
  const inside = used.filter((one) => contains(whole, { ...one, value: one.first }));
  const [start] = inside;
  if (!start) return whole;
  let prefix = Math.max(whole.prefix, Math.min(...inside.map((one) => one.prefix)) - ROOM);
  const part = () => blockAt({ family: start.family, value: start.first }, prefix);
  const isAround = () => inside.every((one) => contains(part(), { ...one, value: one.first }));
  while (prefix > whole.prefix && !isAround()) prefix -= 1;
  return prefix > whole.prefix ? part() : whole;
}

interface BlockSize {
  prefix: number;
  most: number;
}

/** The first free blocks of a size, and the number of all of them. */
export function freeBlocks(
  whole: Block,
  used: Block[],
  { prefix, most }: BlockSize,
): { blocks: Block[]; total: bigint } {
  const fitting = gaps(whole, used).filter((gap) => gap.prefix <= prefix);
  const total = fitting.reduce((sum, gap) => sum + (1n << BigInt(prefix - gap.prefix)), 0n);
  const blocks: Block[] = [];
  for (const gap of fitting) {
    for (let at = gap.first; at <= gap.last && blocks.length < most; ) {
      const block = blockAt({ family: gap.family, value: at }, prefix);
      blocks.push(block);
      at = block.last + 1n;
    }
  }
  return { blocks, total };
}

/** The prefixes offered for a network in a block. */
export function prefixesIn({ family, prefix }: Block): number[] {
  const longest = Math.max(prefix, family === 4 ? 30 : 64);
  return Array.from({ length: longest - prefix + 1 }, (_, at) => prefix + at);
}

/** The prefix that is proposed: the one that most networks have. */
export function usualPrefix({ family, prefix }: Block): number {
  return Math.max(prefix, family === 4 ? 24 : 64);
}

export interface Bounds {
  low: bigint;
  high: bigint;
}

/** The addresses that a host can have: without the network address and, in IPv4, the broadcast address. */
export function usableRange({ family, prefix, first, last }: Block): Bounds {
  if (prefix >= BITS[family] - 1) return { low: first, high: last };
  return { low: first + 1n, high: family === 4 ? last - 1n : last };
}

interface ProposedRange {
  first_ip: string;
  last_ip: string;
  gateway: string;
}

/** The gateway at the end of an IPv4 network and at the beginning of an IPv6 one; all other addresses are the range. */
export function proposedRange(block: Block): ProposedRange {
  const { family } = block;
  const { low, high } = usableRange(block);
  const range = (first: bigint, last: bigint, gateway?: bigint) => ({
    first_ip: formatAddress({ family, value: first }),
    last_ip: formatAddress({ family, value: last }),
    gateway: gateway === undefined ? "" : formatAddress({ family, value: gateway }),
  });
  if (low === high) return range(low, high);
  return family === 4 ? range(low, high - 1n, high) : range(low + 1n, high, low);
}

/** The position of a block in another, drawn as a square that is halved bit by bit: areas are proportional to sizes. */
interface BlockPosition {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function blockPosition(whole: Block, block: Block): BlockPosition {
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
