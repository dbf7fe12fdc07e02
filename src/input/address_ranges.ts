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

/** IPv6 ranges that contain IPv4 addresses, and the number of bits to the right of those. */
const EMBEDDING = [
  { in: blocks("::ffff:0:0/96", "::/96", "64:ff9b::/96"), shift: 0n },
  { in: blocks("2002::/16"), shift: 80n },
];

/** The IPv4 address in an IPv6 address that is mapped, translated or tunnelled; otherwise the address. */
export function innermost(address: IpAddress): IpAddress {
  if (address.family === 4 || isIn(LOOPBACK, address) || isIn(UNSPECIFIED, address)) return address;
  const found = EMBEDDING.find((one) => isIn(one.in, address));
  return found ? { family: 4, value: (address.value >> found.shift) & 0xffffffffn } : address;
}
