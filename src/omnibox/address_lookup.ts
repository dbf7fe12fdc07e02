// Where an address lies, and what it is there; one of a hidden host is free to those who may not know of it.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, isAdmin, may } from "../auth/auth.ts";
import { mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";
import { readAddress, readBlock } from "../input/addresses.ts";
import { assignableRange } from "../network/addresses/rows.ts";
import { usableRange } from "../network/addresses/space.ts";
import { EDITORS } from "../network/hosts/view.ts";

export interface Place {
  ip: string;
  network: string | null;
  state: "free" | "used" | "gateway" | "kept" | "outside" | "nowhere";
  host: string | null;
  /** May be given to a host by whoever asks. */
  mayTake: boolean;
}

interface Row {
  id: number;
  network: string;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway: string | null;
  admin_only: boolean;
  host: string | null;
}

export async function placeAt(caller: Caller, ip: string): Promise<Place> {
  const found = await database.row<Row>(sql`
    select networks.id, networks.vlan_name as network, networks.address::text as address,
      host(networks.first_ip) as first_ip, host(networks.last_ip) as last_ip, host(networks.gateway) as gateway,
      networks.admin_only, (
        select hosts.name from interfaces join hosts on hosts.id = interfaces.host_id
        where interfaces.ip = ${ip}::text::inet and ${mayKnowHost(caller, sql`hosts.id`)}) as host
    from networks where networks.address >>= ${ip}::text::inet and ${mayKnowNetwork(caller)}`);
  if (!found) return { ip, network: null, state: "nowhere", host: null, mayTake: false };
  const state = stateOf(found, ip);
  const { network, host, admin_only } = found;
  const mayTake =
    state === "free" &&
    may(caller, EDITORS) &&
    (isAdmin(caller) || (!admin_only && !caller.read_only));
  return { ip, network, state, host, mayTake };
}

function stateOf(row: Row, ip: string): Place["state"] {
  if (row.host !== null) return "used";
  if (row.gateway === ip) return "gateway";
  const address = readAddress(ip);
  const block = readBlock(row.address);
  if (!address || !block) return "outside";
  const own = usableRange(block);
  if (address.value < own.low || address.value > own.high) return "kept";
  const given = assignableRange(row);
  return given.low <= address.value && address.value <= given.high ? "free" : "outside";
}
