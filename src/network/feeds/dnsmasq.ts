import { sql } from "drizzle-orm";
import { blockSize, formatAddress, readBlock } from "../../input/addresses.ts";
import { isIPv6 } from "./addresses.ts";
import { type ServedNetwork, servedNetworks } from "./dhcp.ts";
import type { Feed } from "./feed.ts";
import { feedQuery, filters } from "./parameters.ts";

/** dnsmasq rejects its whole configuration for a single larger IPv6 network. */
const SERVED = sql`(family(networks.address) = 4 or masklen(networks.address) >= 64)`;

const query = feedQuery(filters);

/** For dnsmasq: static leases only. */
export const dnsmasq: Feed<typeof query> = {
  name: "dnsmasq",
  type: "text/plain",
  query,
  async make(caller, parameters) {
    const networks = await servedNetworks(caller, parameters, SERVED);
    const text = networks
      .flatMap(linesOf)
      .map((line) => `${line}\n`)
      .join("");
    return () => text;
  },
};

function linesOf(one: ServedNetwork): string[] {
  const isIPv6Network = one.address.includes(":");
  return [
    `# ${one.vlan_name}`,
    rangeOf(one),
    `domain=${one.domain},${one.address}`,
    ...(one.gateway === null || isIPv6Network
      ? []
      : [`dhcp-option=tag:${one.vlan_name},option:router,${one.gateway}`]),
    ...one.leases.map((lease) => {
      const ip = isIPv6(lease) ? `[${lease.ip}]` : lease.ip;
      return `dhcp-host=${lease.mac},${ip},${lease.name}`;
    }),
  ];
}

function rangeOf({ vlan_name, address }: ServedNetwork): string {
  const [start, length] = address.split("/");
  const block = readBlock(address);
  const mask = block?.family === 4 ? netmask(blockSize(block)) : length;
  return `dhcp-range=set:${vlan_name},${start},static,${mask}`;
}

function netmask(size: bigint): string {
  return formatAddress({ family: 4, value: (1n << 32n) - size });
}
