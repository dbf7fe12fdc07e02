// Reads the addresses of clients, and groups them for counting failed logins.
import { isIP } from "node:net";
import {
  blockAt,
  formatAddress,
  formatBlock,
  type IpAddress,
  readAddress,
} from "../input/addresses.ts";

/** A provider gives each customer a /64 or more, so a single IPv6 address says nothing. */
const IPV6_PREFIX = 64;
/** A value of a proxy that is not an address is used as it is, up to this length. */
const LONGEST = 64;
const MAPPED = 0xffffn << 32n;

/** An IPv4 address as it is, the /64 of an IPv6 address; IPv4 within IPv6 counts as IPv4. */
export function networkOf(client: string): string {
  const address = clientAddress(client);
  if (!address) return client.slice(0, LONGEST);
  return address.family === 4 ? formatAddress(address) : formatBlock(blockAt(address, IPV6_PREFIX));
}

/** The address of a client; IPv4 within IPv6 is IPv4. Undefined if a proxy sends something else. */
export function clientAddress(client: string): IpAddress | undefined {
  const address = readAddress(withoutPort(client));
  if (address?.family === 6 && address.value >> 32n === MAPPED >> 32n) {
    return { family: 4, value: address.value & 0xffffffffn };
  }
  return address;
}

/** Some proxies send `192.0.2.1:4711` or `[2001:db8::1]:4711`; a link-local address may carry its zone. */
function withoutPort(client: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(client) ?? [];
  const [, address] = /^([\d.]+):\d+$/.exec(client) ?? [];
  const found = bracketed ?? address ?? client;
  const [bare = ""] = found.split("%");
  return isIP(bare) === 0 ? client : bare;
}
