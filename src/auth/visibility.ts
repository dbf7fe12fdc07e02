// What a sensitive network hides from all but admins and auditors: itself, and every host with an interface
// in it, with all that is that host's. Each query that tells of networks or hosts starts from here.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "./auth.ts";

/** Of a host, by its key. Nothing in the subquery is called as a key may be, which would then mean the subquery's own. */
export function mayKnowHost(caller: Caller, host: SQL): SQL {
  if (seesAll(caller)) return sql`true`;
  return sql`not exists (
    select from (
      select interfaces.host_id as hidden_host from interfaces
      join networks on networks.id = interfaces.network_id where networks.sensitive
    ) hiding where hidden_host = ${host})`;
}

/** The keys of those that the caller may not know, as a statement; undefined where there are none. */
export function hiddenHosts(caller: Caller): SQL | undefined {
  if (seesAll(caller)) return undefined;
  return sql`select hidden.host_id from interfaces hidden
    join networks hiding on hiding.id = hidden.network_id where hiding.sensitive`;
}

/** The version of a record that counts unseen changes, as the caller knows it: a column or a state in history. */
export function knownVersion(caller: Caller, row: { version: SQL; unseen: SQL }): SQL {
  return seesAll(caller) ? sql`(${row.version} + coalesce(${row.unseen}, 0))` : row.version;
}

/** Of a network, by the name of its table in the query. */
export function mayKnowNetwork(caller: Caller, network = sql`networks`): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${network}.sensitive`;
}

/** Of a host by its key, also of one that has gone. */
export function mayKnowPastHost(caller: Caller, host: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not is_hidden_host(${host})`;
}

/** Of a network by its key, also of one that has gone. */
export function mayKnowPastNetwork(caller: Caller, network: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not is_hidden_network(${network})`;
}
