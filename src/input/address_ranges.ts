// Ranges of addresses with a meaning of their own.
import { type Block, contains, type IpAddress, readBlock } from "./addresses.ts";

export const LOOPBACK = blocks("127.0.0.0/8", "::1/128");

/** Addresses that no router of the internet forwards. */
export const PRIVATE = blocks(
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "fc00::/7",
);

export function blocks(...texts: string[]): Block[] {
  return texts.flatMap((text) => readBlock(text) ?? []);
}

export function isIn(all: readonly Block[], address: IpAddress): boolean {
  return all.some((block) => contains(block, address));
}

/** Whether one of the ranges contains the whole block. */
export function isWithin(all: readonly Block[], { family, first, prefix }: Block): boolean {
  return all.some((one) => one.prefix <= prefix && contains(one, { family, value: first }));
}

const UNSPECIFIED = blocks("::/128");

/** IPv6 ranges that contain IPv4 addresses, the number of bits to the right of those, and bits that are inverted. */
const EMBEDDING = [
  // Mapped, compatible, and translated by SIIT and NAT64.
  { in: blocks("::ffff:0:0/96", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96"), shift: 0n },
  // 6to4.
  { in: blocks("2002::/16"), shift: 80n },
  // Teredo.
  { in: blocks("2001::/32"), shift: 0n, inverted: 0xffffffffn },
];

/** ISATAP: any prefix, then 0:5efe or 200:5efe, then an IPv4 address. */
const isIsatap = (value: bigint) => ((value >> 32n) & 0xfdffffffn) === 0x5efen;

/** The IPv4 address in an IPv6 address that is mapped, translated or tunnelled; otherwise the address. */
export function innermost(address: IpAddress): IpAddress {
  const { family, value } = address;
  if (family === 4 || isIn(LOOPBACK, address) || isIn(UNSPECIFIED, address)) return address;
  const found = EMBEDDING.find((one) => isIn(one.in, address));
  if (!found && !isIsatap(value)) return address;
  const { shift = 0n, inverted = 0n } = found ?? {};
  return { family: 4, value: ((value >> shift) & 0xffffffffn) ^ inverted };
}
