// Looks up an address: its network and its use. An address of a hidden host is free for other callers.

import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, isAdmin, may } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";
import { readAddress, readBlock } from "../input/addresses.ts";
import { assignableRange } from "../network/addresses/rows.ts";
import { usableRange } from "../network/addresses/space.ts";
import { EDITORS } from "../network/hosts/view.ts";
import { mayUseNetwork } from "../store/may_edit.ts";

export interface AddressLookup {
  ip: string;
  network: string | null;
  state: "free" | "used" | "gateway" | "kept" | "outside" | "nowhere";
  host: string | null;
  /** Whether the caller may assign it to a host. */
  mayTake: boolean;
}

interface NetworkAndHost {
  id: number;
  network: string;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway: string | null;
  may_use: boolean;
  host: string | null;
}

export async function lookUpAddress(caller: Caller, ip: string): Promise<AddressLookup> {
  // In SQL: the network is found by containment of addresses.
  const found = await database.row<NetworkAndHost>(sql`
    select networks.id, networks.vlan_name as network, networks.address::text as address,
      host(networks.first_ip) as first_ip, host(networks.last_ip) as last_ip, host(networks.gateway) as gateway,
      ${mayUseNetwork(caller)} as may_use, (
        select hosts.name from interfaces join hosts on hosts.id = interfaces.host_id
        where interfaces.ip = ${ip}::text::inet and ${mayKnowHost(caller, sql`hosts.id`)}) as host
    from networks where networks.address >>= ${ip}::text::inet and ${mayKnowNetwork(caller)}`);
  if (!found) return { ip, network: null, state: "nowhere", host: null, mayTake: false };
  const state = stateOf(found, ip);
  const { network, host, may_use } = found;
  const mayTake =
    state === "free" && may(caller, EDITORS) && (isAdmin(caller) || (may_use && !caller.read_only));
  return { ip, network, state, host, mayTake };
}

function stateOf(row: NetworkAndHost, ip: string): AddressLookup["state"] {
  if (row.host !== null) return "used";
  if (row.gateway === ip) return "gateway";
  const address = readAddress(ip);
  const block = readBlock(row.address);
  if (!address || !block) return "outside";
  const usable = usableRange(block);
  if (address.value < usable.low || address.value > usable.high) return "kept";
  const assignable = assignableRange(row);
  return assignable.low <= address.value && address.value <= assignable.high ? "free" : "outside";
}
