// The list of zones: one for each domain, and the reverse zones of networks.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { readBlock } from "../../input/addresses.ts";
import type { Feed } from "./feed.ts";
import { feedQuery } from "./parameters.ts";
import { zoneOf, zonesOf } from "./zone_names.ts";

export const zones: Feed = {
  name: "dns",
  type: "application/json",
  query: feedQuery({}),
  async make(caller) {
    const text = JSON.stringify({
      zones: [...(await forward(caller)), ...(await reverse(caller))],
    });
    return () => text;
  },
};

interface Zone {
  name: string;
  kind: "forward" | "reverse";
  networks: string[];
}

async function forward(caller: Caller): Promise<Zone[]> {
  const rows = await database.rows<{ name: string; networks: string | null }>(sql`
    select domains.name, string_agg(vlan_name, ' ' order by vlan_name) as networks
    from domains left join networks on networks.domain_id = domains.id and ${mayKnowNetwork(caller)}
    group by domains.id order by domains.name`);
  return rows.map(({ name, networks }) => ({
    name,
    kind: "forward",
    networks: networks?.split(" ") ?? [],
  }));
}

async function reverse(caller: Caller): Promise<Zone[]> {
  const rows = await database.rows<{ vlan_name: string; address: string; supernet: string }>(sql`
    select vlan_name, address::text as address, supernet::text as supernet
    from networks join scopes on scopes.id = networks.scope_id
    where ${mayKnowNetwork(caller)} order by address`);
  const found = rows.flatMap(({ vlan_name, address, supernet }) => {
    const [network, around] = [readBlock(address), readBlock(supernet)];
    const blocks = network && around ? zonesOf(network, around) : [];
    return blocks.map((block) => ({ name: zoneOf(block), vlan_name }));
  });
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...byName].map(([name, all]) => ({
    name,
    kind: "reverse",
    networks: all.map(({ vlan_name }) => vlan_name),
  }));
}
