// Items inside items: a card in a crate in a rack. A change of place of the rack applies to them all.
import { eq, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuse } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { Read } from "../../store/read.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";
import { ITEM_TREE, type ItemPlace, noSuchItem } from "./item_rules.ts";

/** Serializes changes of the tree and of the places that are passed down in it. */
export function lockTree(tx: Transaction): Promise<void> {
  return advisoryLock(tx, ITEM_TREE);
}

/** The place of an item inside a parent, given by key or ICS id: it takes the location and status of the parent. */
export async function locationIn(
  tx: Transaction,
  caller: Caller,
  parent: number | string,
): Promise<ItemPlace> {
  const chosen = typeof parent === "number" ? eq(items.id, parent) : eq(items.ics_id, parent);
  const [found] = await tx
    .select({ parent_id: items.id, location_id: items.location_id, status_id: items.status_id })
    .from(items)
    .where(chosen);
  if (found) return found;
  if (typeof parent === "number") throw refuse([noSuchItem("parent_id", parent)]);
  const wrong = { field: "parent", name: parent, table: "items", column: "ics_id" };
  throw refuse([await unknownRecord(tx, caller, wrong)]);
}

/** Sets location and status of items and of everything inside them, if they differ. */
export async function setPlace(
  tx: Transaction,
  keys: number[],
  { location_id, status_id }: Partial<ItemPlace>,
): Promise<void> {
  const given = Object.entries({ location_id, status_id }).filter(([, key]) => key !== undefined);
  if (given.length === 0) return;
  const sets = given.map(([column, key]) => sql`${sql.identifier(column)} = ${key}`);
  const differs = given.map(
    ([column, key]) => sql`items.${sql.identifier(column)} is distinct from ${key}`,
  );
  // In SQL: the builder has no recursive queries.
  await tx.execute(sql`
    with recursive all_of_them as (
      select id from items where id = any(${integers(keys)})
      union select items.id from items join all_of_them on items.parent_id = all_of_them.id
    )
    update items set ${sql.join(sets, sql`, `)} from all_of_them
    where items.id = all_of_them.id and (${sql.join(differs, sql` or `)})`);
}

/** An item that moves away from the place of its parent. */
export interface LeavingItem {
  id: number;
  ics_id: string;
  parent: string;
  inside: number;
}

/** Those whose parent stays elsewhere, with the number of items inside them. */
export function leavingParents(read: Read, keys: number[], location: unknown) {
  // In SQL: the builder has no recursive queries.
  return read<LeavingItem>(sql`
    with recursive along as (
      select id, id as moved_id from items where id = any(${integers(keys)})
      union select items.id, moved_id from items join along on items.parent_id = along.id
    )
    select moved.id, moved.ics_id, parent.ics_id as parent, count(*)::int - 1 as inside
    from along join items moved on moved.id = moved_id join items parent on parent.id = moved.parent_id
    where parent.id not in (select id from along)
      and moved.location_id is distinct from ${location}::integer
      and parent.location_id is distinct from ${location}::integer
    group by moved.id, parent.ics_id order by moved.ics_id`);
}

export function leavingWords({ parent, inside }: LeavingItem, leaves: boolean): string {
  const along =
    inside === 1 ? "1 item inside moves" : `${inside.toLocaleString("en")} items inside move`;
  const away = leaves ? "leaves" : "moves away from, but stays in,";
  return `${away} ${parent}${inside > 0 ? `, and ${along} along` : ""}`;
}
