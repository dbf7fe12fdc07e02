// A VLAN: the networks that have its number, one in each scope.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../../auth/visibility.ts";
import { notFound } from "../../input/errors.ts";
import { listRows } from "../../store/crud.ts";
import { rowsOf } from "../../store/records.ts";
import { network as described, type NetworkRow } from "../networks/network.ts";

export interface VlanNetwork extends NetworkRow {
  /** The number of visible hosts with an address in it. */
  hosts: number;
}

export interface Vlan {
  id: number;
  networks: VlanNetwork[];
  total: number;
}

const MOST_NETWORKS_OF_A_VLAN = 100;

/** Refused as not found if no network of the VLAN is visible to the caller. */
export async function findVlan(caller: Caller, id: number): Promise<Vlan> {
  const params = new URLSearchParams({
    vlan_id: String(id),
    per_page: String(MOST_NETWORKS_OF_A_VLAN),
    sort: "scope",
  });
  const [listed, counts] = await Promise.all([
    listRows(described, caller, params),
    hostsIn(caller, id),
  ]);
  if (listed.total === 0) throw notFound();
  const networks = rowsOf(listed).map((network) => ({
    ...network,
    hosts: counts.get(network.id) ?? 0,
  }));
  return { id, networks, total: listed.total };
}

async function hostsIn(caller: Caller, vlan: number): Promise<Map<number, number>> {
  const rows = await database.rows<{ id: number; hosts: number }>(sql`
    select networks.id, count(distinct one.host_id)::int as hosts
    from networks join interfaces one on one.network_id = networks.id
    where networks.vlan_id = ${vlan} and ${mayKnowNetwork(caller)} and ${mayKnowHost(caller, sql`one.host_id`)}
    group by networks.id`);
  return new Map(rows.map(({ id, hosts }) => [id, hosts]));
}
