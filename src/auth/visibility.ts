// Conditions for visibility. Only admins and auditors see a sensitive network, the hosts with an interface in it, and
// what belongs to those hosts. Each query of networks or hosts uses these conditions.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "./auth.ts";

/** The host with this id is visible. Names in the subquery must differ from any column that `host` may be. */
export function mayKnowHost(caller: Caller, host: SQL): SQL {
  if (seesAll(caller)) return sql`true`;
  return sql`not exists (
    select from (
      select interfaces.host_id as hidden_host from interfaces
      join networks on networks.id = interfaces.network_id where networks.sensitive
    ) hiding where hidden_host = ${host})`;
}

/** A statement that selects the ids of hosts that are hidden from the caller; undefined if none can be. */
export function hiddenHosts(caller: Caller): SQL | undefined {
  if (seesAll(caller)) return undefined;
  return sql`select hidden.host_id from interfaces hidden
    join networks hiding on hiding.id = hidden.network_id where hiding.sensitive`;
}

/** The version that the caller sees, of a record that counts unseen changes. */
export function knownVersion(caller: Caller, row: { version: SQL; unseen: SQL }): SQL {
  return seesAll(caller) ? sql`(${row.version} + coalesce(${row.unseen}, 0))` : row.version;
}

/** The network is visible, by the name of its table in the query. */
export function mayKnowNetwork(caller: Caller, network = sql`networks`): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${network}.sensitive`;
}

/** The host with this id is visible, also if it was deleted. */
export function mayKnowPastHost(caller: Caller, host: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not is_hidden_host(${host})`;
}

/** The network with this id is visible, also if it was deleted. */
export function mayKnowPastNetwork(caller: Caller, network: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not is_hidden_network(${network})`;
}
