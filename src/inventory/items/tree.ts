// Items inside of items: a card in a crate in a rack. What moves the rack moves them all.
import { eq, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import { invalid } from "../../input/errors.ts";
import { type Transaction, takeTurn } from "../../store/write.ts";

/** Whoever changes the tree, or what is carried down in it, waits for the one before. */
export function lockTree(tx: Transaction): Promise<void> {
  return takeTurn(tx, "item tree");
}

export interface Place {
  parent_id: number | null;
  location_id: number | null;
  status_id: number | null;
}

/** What an item takes over from the parent that it is put into. */
export async function placeIn(tx: Transaction, parent: number | string): Promise<Place> {
  const chosen = typeof parent === "number" ? eq(items.id, parent) : eq(items.ics_id, parent);
  const [found] = await tx
    .select({ parent_id: items.id, location_id: items.location_id, status_id: items.status_id })
    .from(items)
    .where(chosen);
  if (found) return found;
  if (typeof parent === "number") throw invalid("parent_id", `There is no item ${parent}`);
  throw invalid("parent", `'${parent}' is not a valid parent`);
}

/** Refuses to put an item into itself or into something that it holds. */
export async function refuseCycle(tx: Transaction, id: number, parent: number): Promise<void> {
  const [found] = await tx.execute(sql`
    with recursive above as (
      select id, parent_id from items where id = ${parent}
      union select items.id, items.parent_id from items join above on items.id = above.parent_id
    ) select 1 from above where id = ${id}`);
  if (found) throw invalid("parent", "An item cannot stand inside of itself or of what it holds");
}

/** A change of location or status goes on to everything inside. */
export async function carryDown(
  tx: Transaction,
  id: number,
  changed: Partial<Place>,
): Promise<void> {
  const sets = [
    ...(changed.location_id === undefined ? [] : [sql`location_id = ${changed.location_id}`]),
    ...(changed.status_id === undefined ? [] : [sql`status_id = ${changed.status_id}`]),
  ];
  if (sets.length === 0) return;
  await tx.execute(sql`
    with recursive inside as (
      select id from items where parent_id = ${id}
      union select items.id from items join inside on items.parent_id = inside.id
    ) update items set ${sql.join(sets, sql`, `)} from inside where items.id = inside.id`);
}
