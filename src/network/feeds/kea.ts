import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { type ServedNetwork, servedNetworks } from "./dhcp.ts";
import type { Feed } from "./feed.ts";
import { feedQuery, filters } from "./parameters.ts";

const query = feedQuery({
  ...filters,
  pools: Type.Union([Type.Literal("none"), Type.Literal("range")], {
    default: "none",
    title: "Only reservations (none), or the whole range of each network (range)",
    description: "Use none or range, once",
  }),
});

/** The subnets and reservations of a Kea DHCPv4 server; with `pools=range` it also leases free addresses. */
export const kea: Feed<typeof query> = {
  name: "kea",
  type: "application/json",
  query,
  async make(caller, parameters) {
    const subnets = await servedNetworks(caller, parameters, sql`family(networks.address) = 4`);
    const text = JSON.stringify({
      Dhcp4: { subnet4: subnets.map((one) => subnet(one, parameters.pools === "range")) },
    });
    return () => text;
  },
};

function subnet(one: ServedNetwork, isOpen: boolean) {
  return {
    id: one.id,
    subnet: one.address,
    pools: isOpen ? [{ pool: `${one.first_ip} - ${one.last_ip}` }] : [],
    "option-data": [
      ...(one.gateway === null ? [] : [{ name: "routers", data: one.gateway }]),
      { name: "domain-name", data: one.domain },
    ],
    reservations: one.leases.map(({ mac, ip, name }) => ({
      "hw-address": mac,
      "ip-address": ip,
      hostname: name,
    })),
  };
}
