import { sql } from "drizzle-orm";
import { type Served, served } from "./dhcp.ts";
import type { Feed } from "./feed.ts";
import { word } from "./parameters.ts";
import { FILTERS } from "./selection.ts";

/** The subnets and reservations of a Kea DHCPv4 server; `pools=range` lets it give the rest of each range away. */
export const kea: Feed = {
  name: "kea",
  type: "application/json",
  params: [...FILTERS, "pools"],
  async make(caller, params) {
    const pools = word(params, "pools", ["none", "range"]);
    const subnets = await served(caller, params, sql`family(networks.address) = 4`);
    const text = JSON.stringify({
      Dhcp4: { subnet4: subnets.map((one) => subnet(one, pools === "range")) },
    });
    return () => text;
  },
};

function subnet(one: Served, isOpen: boolean) {
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
