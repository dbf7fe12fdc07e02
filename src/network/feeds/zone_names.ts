// How blocks of addresses are called in the DNS, where the reverse zones are.
import {
  type Block,
  blockAt,
  formatAddress,
  readAddress,
  readBlock,
} from "../../input/addresses.ts";
import { reverseName } from "../hosts/snippets.ts";

const FOUR = ".in-addr.arpa";
const SIX = ".ip6.arpa";

/** The bits that one label stands for. */
const STEP = { 4: 8, 6: 4 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/** The block whose reverse zone is called so. `64-26.2.0.192` is 192.0.2.64/26, by RFC 2317. */
export function blockOf(zone: string): Block | undefined {
  if (zone.endsWith(FOUR)) return blockOfFour(zone.slice(0, -FOUR.length).split("."));
  if (zone.endsWith(SIX)) return blockOfSix(zone.slice(0, -SIX.length).split("."));
  return undefined;
}

/** The zone of a block that ends between two labels, or of one that RFC 2317 has a name for. */
export function zoneOf({ family, prefix, first }: Block): string {
  const whole = reverseName(formatAddress({ family, value: first })).split(".");
  if (family === 4 && prefix > 24) return [`${whole[0]}-${prefix}`, ...whole.slice(1)].join(".");
  return whole.slice((BITS[family] - prefix) / STEP[family]).join(".");
}

/** What an address is called in the zone of a block around it. */
export function ownerIn({ family, prefix }: Block, ip: string): string {
  const labels = reverseName(ip).split(".");
  if (family === 4 && prefix > 24) return labels[0] ?? "";
  return labels.slice(0, (BITS[family] - prefix) / STEP[family]).join(".");
}

/**
 * The zones that hold a network. One that is smaller than a zone shares the zone of the block around it, if that
 * is all in its scope; else its part is delegated to us by RFC 2317.
 */
export function zonesOf(network: Block, supernet: Block): Block[] {
  const { family, prefix, first } = network;
  const step = STEP[family];
  if (family === 4 && prefix > 24) {
    return supernet.prefix <= 24 ? [blockAt({ family, value: first }, 24)] : [network];
  }
  const parts = Math.max(step, Math.ceil(prefix / step) * step);
  const one = blockAt({ family, value: first }, parts);
  const size = one.last - one.first + 1n;
  return Array.from({ length: 2 ** (parts - prefix) }, (_, at) =>
    blockAt({ family, value: first + size * BigInt(at) }, parts),
  );
}

function blockOfFour(labels: string[]): Block | undefined {
  const [, start, length] = /^([0-9]{1,3})-(2[5-9]|3[0-2])$/.exec(labels[0] ?? "") ?? [];
  const octets = (start ? [start, ...labels.slice(1)] : labels).toReversed();
  if (octets.length > 4 || (octets.length === 4) !== Boolean(start)) return undefined;
  const whole = [...octets, "0", "0", "0"].slice(0, 4).join(".");
  return canonical(readBlock(`${whole}/${length ?? octets.length * 8}`), octets.join("."));
}

/** Without leading zeros, or a zone would have two names. */
function canonical(block: Block | undefined, start: string): Block | undefined {
  return block && `${formatAddress({ family: 4, value: block.first })}.`.startsWith(`${start}.`)
    ? block
    : undefined;
}

function blockOfSix(labels: string[]): Block | undefined {
  if (labels.length > 31 || !labels.every((label) => /^[0-9a-f]$/.test(label))) return undefined;
  const digits = labels.toReversed().join("").padEnd(32, "0");
  const address = readAddress((digits.match(/.{4}/g) ?? []).join(":"));
  return address && blockAt(address, labels.length * STEP[6]);
}
