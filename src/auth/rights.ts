// Rights that hold in one place only. The groups `network` and `inventory` hold everywhere; a right of the same name holds
// on a scope, or on a location and what is below. The right `sensitive` shows one sensitive network.
import { type SQL, sql } from "drizzle-orm";

export const RIGHTS = ["network", "inventory", "sensitive"] as const;
export type RightKind = (typeof RIGHTS)[number];

/** `network` on the scope with this id, `inventory` on the location, `sensitive` on the network. */
export interface Right {
  kind: RightKind;
  place: number;
}

/**
 * Who may call a route whose records are in a scope or a location: also callers with a right on one of them. Which records
 * they may write is decided by src/store/places.ts.
 */
export const NETWORK_EDITORS = ["network", "admin", "network by scope"] as const;
export const INVENTORY_EDITORS = ["inventory", "admin", "inventory by location"] as const;

/** In lists of who may call a route: holders of such a right, in whatever place. */
export type RightSomewhere = "network by scope" | "inventory by location";

/** The rights of a row of users, as a column of the query that loads a caller; null for most. */
export const RIGHTS_COLUMN: SQL = sql`(
  select json_agg(distinct jsonb_build_object('kind', kind, 'place', coalesce(scope_id, location_id, network_id)))
  from user_rights where user_rights.user_id = users.id)`;

interface RightsHolder {
  groups: readonly string[];
  rights?: readonly Right[];
}

/** The places of a right of the caller; none if a group gives it everywhere. */
export function placesOf({ groups, rights = [] }: RightsHolder, kind: RightKind): number[] {
  if (groups.includes("admin") || groups.includes(kind)) return [];
  return rights.filter((right) => right.kind === kind).map(({ place }) => place);
}

export function holdsSomewhere(holder: RightsHolder, one: string): boolean {
  if (one === "network by scope") return placesOf(holder, "network").length > 0;
  if (one === "inventory by location") return placesOf(holder, "inventory").length > 0;
  return false;
}
