// Addresses and blocks as numbers, IPv4 and IPv6 alike. PostgreSQL checks stored values; this
// is for validation of input, proposals and maps.

import { isIP } from "node:net";
import { FormatRegistry, Type } from "@sinclair/typebox";
import { CODE } from "./error_codes.ts";

export interface IpAddress {
  family: 4 | 6;
  value: bigint;
}

export interface Block {
  family: 4 | 6;
  prefix: number;
  first: bigint;
  last: bigint;
}

FormatRegistry.Set("address", (text) => readAddress(text) !== undefined);
FormatRegistry.Set("block", (text) => readBlock(text) !== undefined);

export const ADDRESS = Type.String({
  format: "address",
  maxLength: 45,
  description: "Use an address such as 10.0.0.1 or 2001:db8::1",
  [CODE]: "not_an_address",
});
export const BLOCK = Type.String({
  format: "block",
  maxLength: 49,
  description: "Use a block such as 10.0.0.0/24 or 2001:db8::/64",
  [CODE]: "not_a_block",
});

const BITS = { 4: 32, 6: 128 } as const;

export function readAddress(text: string): IpAddress | undefined {
  const family = text.includes("%") ? 0 : isIP(text);
  if (family === 4) return { family, value: number(text.split("."), { base: 10, bits: 8n }) };
  if (family === 6) return { family, value: number(groupsOf(text), { base: 16, bits: 16n }) };
  return undefined;
}

/** Strict: every bit behind the prefix is zero. */
export function readBlock(text: string): Block | undefined {
  const found = readLoosely(text);
  return found?.block.first === found?.address.value ? found?.block : undefined;
}

/** Why a text with an address inside of a block is not that block. */
export function notItsStart(text: string): string | undefined {
  const found = readLoosely(text);
  return found && `${text} is not the start of a block: use ${formatBlock(found.block)}`;
}

function readLoosely(text: string): { address: IpAddress; block: Block } | undefined {
  const [, start = "", length = ""] = /^([^/]+)\/([0-9]{1,3})$/.exec(text) ?? [];
  const address = readAddress(start);
  if (!address || Number(length) > BITS[address.family]) return undefined;
  return { address, block: blockAt(address, Number(length)) };
}

/** The block of this size that an address lies in. */
export function blockAt({ family, value }: IpAddress, prefix: number): Block {
  const size = 1n << BigInt(BITS[family] - prefix);
  const first = (value / size) * size;
  return { family, prefix, first, last: first + size - 1n };
}

export function contains(block: Block, { family, value }: IpAddress): boolean {
  return family === block.family && block.first <= value && value <= block.last;
}

/** The number of addresses in the block. */
export function blockSize({ first, last }: Block): bigint {
  return last - first + 1n;
}

export function formatAddress({ family, value }: IpAddress): string {
  if (family === 4) return digits(value, { base: 10, bits: 8n, count: 4 }).join(".");
  const groups = digits(value, { base: 16, bits: 16n, count: 8 }).join(":");
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

export function formatBlock({ family, first, prefix }: Block): string {
  return `${formatAddress({ family, value: first })}/${prefix}`;
}

interface Digits {
  base: number;
  bits: bigint;
}

function number(parts: string[], { base, bits }: Digits): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(Number.parseInt(part, base)), 0n);
}

function digits(value: bigint, { base, bits, count }: Digits & { count: number }): string[] {
  return Array.from({ length: count }, (_, at) =>
    BigInt.asUintN(Number(bits), value >> (bits * BigInt(count - 1 - at))).toString(base),
  );
}

/** The eight groups of an IPv6 address in any spelling. */
function groupsOf(text: string): string[] {
  const [head = "", tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: gap }, () => "0"), ...after];
}
