// Who may change a host; the only place that decides it. A host with an interface in an admin-only or sensitive network
// is changed by admins alone: its record, its interfaces and cnames, the items that are mounted on it, and its group
// memberships. Callers with rights by scope change hosts in their scopes alone: see rights/check.ts.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, isAdmin } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import { forbidden, notFound } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import type { Read } from "./read.ts";
import { isInOwnScope, isInOwnScopes } from "./rights/where.ts";

const PROTECTED = sql`select host_id as protected_host from interfaces
  join networks on networks.id = network_id where admin_only or sensitive`;

/** A statement that selects the ids of all protected hosts. */
export function protectedHosts(): SQL {
  return sql`select distinct protected_host from (${PROTECTED}) protected`;
}

/** A condition: the caller may change the host with this id. */
export function mayEditHost(caller: Caller, host: SQL): SQL {
  return sql`(${mayMountOn(caller, host)} and ${isInOwnScopes(caller, host)})`;
}

/** A condition: the caller may put hosts into the network, by the name of its table in the query. */
export function mayUseNetwork(caller: Caller, network = sql`networks`): SQL {
  return sql`(not ${isForAdmins(caller, network)} and ${isInOwnScope(caller, network)})`;
}

/** A condition: only admins put hosts into the network, and the caller is none. */
export function isForAdmins(caller: Caller, network = sql`networks`): SQL {
  return isAdmin(caller) ? sql`false` : sql`(${network}.admin_only or ${network}.sensitive)`;
}

/** A condition: the host with this id is not protected from the caller. */
export function mayMountOn(caller: Caller, host: SQL): SQL {
  if (isAdmin(caller)) return sql`true`;
  return sql`not exists (select from (${PROTECTED}) protected where protected_host = ${host})`;
}

/**
 * Refuses to change hosts that the caller may not change. A hidden host is refused as one that does not exist, by
 * `unknown`.
 */
export async function mayEdit(
  read: Read,
  caller: Caller,
  hosts: number[],
  unknown: () => Error = notFound,
): Promise<void> {
  if (isAdmin(caller) || hosts.length === 0) return;
  const [found] = await read<{ vlan_name: string; is_known: boolean }>(sql`
    select vlan_name, ${mayKnowHost(caller, sql`host_id`)} as is_known
    from interfaces join networks on networks.id = network_id
    where host_id = any(${integers(hosts)}) and (admin_only or sensitive)
    order by is_known desc, vlan_name limit 1`);
  if (found) throw found.is_known ? onlyForAdmins(found.vlan_name) : unknown();
}

/** Refuses a deletion by anybody but the creator of the record and admins. */
export function requireCreator(
  caller: Caller,
  created_by: number | null | undefined,
  what: string,
): void {
  if (!isAdmin(caller) && created_by !== caller.id) throw onlyForItsCreator(what);
}

export function onlyForItsCreator(what: string): Error {
  return forbidden(`Only its creator and admins may delete ${what}`);
}

export function onlyForAdmins(network: string): Error {
  return forbidden(`Only admins may change hosts in the network ${network}`);
}
