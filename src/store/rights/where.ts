// Rights by scope as conditions of statements: which records the caller may edit, for lists and pages. What a write does is
// decided by check.ts, which also knows where the records were before.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { placesOf } from "../../auth/rights.ts";
import { integers } from "../../input/keys.ts";
import { allInside } from "../tree.ts";

/** A statement that selects the locations where the caller has the right `inventory`. */
export function reachedLocations(caller: Caller): SQL {
  const own = integers(placesOf(caller, "inventory"));
  return allInside(sql`locations`, sql`select id from locations where id = any(${own})`);
}

/** A condition: the network is in a scope where the caller has the right `network`. */
export function isInOwnScope(caller: Caller, network: SQL): SQL {
  const own = placesOf(caller, "network");
  return own.length === 0 ? sql`true` : sql`${network}.scope_id = any(${integers(own)})`;
}

/** A condition: the host with this id is in scopes where the caller has the right `network`. */
export function isInOwnScopes(caller: Caller, host: SQL): SQL {
  const own = placesOf(caller, "network");
  if (own.length === 0) return sql`true`;
  return sql`coalesce((
    select bool_and(around.scope_id = any(${integers(own)})) from interfaces nic
    join networks around on around.id = nic.network_id where nic.host_id = ${host}), false)`;
}
