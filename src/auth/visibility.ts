// Conditions for visibility. Only admins and auditors see every sensitive network, the hosts with an interface in it, and
// what belongs to those hosts. Others see those for which they have the right `sensitive`; a host is hidden if one of its
// networks is. Each query of networks or hosts uses these conditions.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, seesAll } from "./auth.ts";
import { placesOf } from "./rights.ts";

/** The sensitive networks that the caller sees although not all are visible, as a list in SQL; empty for most. */
function seenNetworks(caller: Caller): string {
  return [...new Set(placesOf(caller, "sensitive"))].toSorted((one, other) => one - other).join();
}

const further: Array<(caller: Caller) => string> = [];

/** Registers what else callers may see or not. */
export function addVisibility(of: (caller: Caller) => string): void {
  further.push(of);
}

/** Callers with the same visibility see the same records: for the keys of caches. */
export function visibilityOf(caller: Caller): string {
  const others = further.map((of) => of(caller)).join("");
  if (seesAll(caller)) return `all${others}`;
  const seen = seenNetworks(caller);
  return `${seen === "" ? "unhidden" : `unhidden and ${seen}`}${others}`;
}

/** The network is hidden from the caller, by the name of its table in the query. */
function isHidden(caller: Caller, network: SQL): SQL {
  const seen = seenNetworks(caller);
  // Written as a number, so that the statement can be precompiled.
  return seen === ""
    ? sql`${network}.sensitive`
    : sql`(${network}.sensitive and ${network}.id not in (${sql.raw(seen)}))`;
}

/** The host with this id is visible. Names in the subquery must differ from any column that `host` may be. */
export function mayKnowHost(caller: Caller, host: SQL): SQL {
  if (seesAll(caller)) return sql`true`;
  return sql`not exists (
    select from (
      select interfaces.host_id as hidden_host from interfaces
      join networks on networks.id = interfaces.network_id where ${isHidden(caller, sql`networks`)}
    ) hiding where hidden_host = ${host})`;
}

/** A statement that selects the ids of hosts that are hidden from the caller; undefined if none can be. */
export function hiddenHosts(caller: Caller): SQL | undefined {
  if (seesAll(caller)) return undefined;
  return sql`select hidden.host_id from interfaces hidden
    join networks hiding on hiding.id = hidden.network_id where ${isHidden(caller, sql`hiding`)}`;
}

/**
 * The version that the caller sees, of a record that counts hidden changes in `unseen`. These may be of any sensitive network, so only
 * callers who see all of them get their number.
 */
export function visibleVersion(caller: Caller, table: SQL): SQL {
  const version = sql`${table}.version`;
  return seesAll(caller) ? sql`(${version} + coalesce(${table}.unseen, 0))` : version;
}

/** The network is visible, by the name of its table in the query. */
export function mayKnowNetwork(caller: Caller, network = sql`networks`): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${isHidden(caller, network)}`;
}

/** The host with this id is visible, also if it was deleted. */
export function mayKnowPastHost(caller: Caller, host: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${isHiddenPast(caller, "host", host)}`;
}

/** The network with this id is visible, also if it was deleted. */
export function mayKnowPastNetwork(caller: Caller, network: SQL): SQL {
  return seesAll(caller) ? sql`true` : sql`not ${isHiddenPast(caller, "network", network)}`;
}

type NetworkKind = "network" | "host" | "interface";
const KINDS: Record<string, NetworkKind> = {
  networks: "network",
  hosts: "host",
  interfaces: "interface",
};

/** The record of this table with this id is visible, also if it was deleted. */
export function mayKnowPast(caller: Caller, table: string, id: SQL): SQL {
  const kind = KINDS[table];
  return seesAll(caller) || !kind ? sql`true` : sql`not ${isHiddenPast(caller, kind, id)}`;
}

/** The record with this id is hidden from the caller, who does not see all, also if it was deleted. */
export function isHiddenPast(caller: Caller, kind: NetworkKind, id: SQL): SQL {
  const called = sql.raw(`is_hidden_${kind}`);
  const seen = seenNetworks(caller);
  return seen === ""
    ? sql`${called}(${id})`
    : sql`${called}(${id}, array[${sql.raw(seen)}]::integer[])`;
}

/**
 * The same for records of changes. A change may have thousands, and a call of the function takes ten times as long as these
 * conditions. They read the tables by their names, which must be those of now, and whose columns `id` must not be.
 */
export function isHiddenInChange(caller: Caller, kind: NetworkKind, id: SQL): SQL {
  return sql`case when exists (
      select from (select id as existing_id from ${sql.raw(`${kind}s`)}) existing where existing_id = ${id})
    then exists (
      select from (${HIDDEN_IDS[kind](isHidden(caller, sql`networks`))}) hiding where hidden_id = ${id})
    else ${isHiddenPast(caller, kind, id)} end`;
}

const HIDDEN_IDS: Record<NetworkKind, (isHidden: SQL) => SQL> = {
  network: (hidden) => sql`select networks.id as hidden_id from networks where ${hidden}`,
  host: (hidden) => sql`
    select interfaces.host_id as hidden_id from interfaces
    join networks on networks.id = interfaces.network_id where ${hidden}`,
  interface: (hidden) => sql`
    select interfaces.id as hidden_id from interfaces
    join interfaces of_host on of_host.host_id = interfaces.host_id
    join networks on networks.id = of_host.network_id where ${hidden}`,
};
