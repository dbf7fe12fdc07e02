// The order in which the rows of an import can be written one after the other: what leaves its parent first, then parents before
// what is in them, as the tree will be.
import { sql } from "drizzle-orm";
import type { Read } from "../../store/read.ts";
import { CYCLE } from "../items/item_rules.ts";
import type { RowOfItem } from "./rows.ts";

/** The rows in this order. Those that would put items into each other are refused. */
export async function parentsFirst(
  read: Read,
  rows: RowOfItem[],
  byLabel: ReadonlyMap<string, RowOfItem>,
): Promise<RowOfItem[]> {
  const parents = await presentParents(read, rows);
  for (const [label, { entry }] of byLabel) {
    if (entry.filled.parent !== undefined) parents.set(label, entry.filled.parent.toUpperCase());
    else if (entry.blank.has("parent")) parents.set(label, null);
  }
  const depths = new Map<string, number>();
  for (const label of parents.keys()) {
    for (const one of measure(label, parents, depths)) {
      const row = byLabel.get(one);
      if (row?.entry.filled.parent !== undefined) row.wrong.push(CYCLE);
    }
  }
  const depthOf = ({ entry, before }: RowOfItem) => {
    if (before && entry.blank.has("parent")) return -1;
    const parent = entry.filled.parent?.toUpperCase();
    return depths.get(entry.label ?? "") ?? (depths.get(parent ?? "") ?? -1) + 1;
  };
  return rows.toSorted((one, other) => depthOf(one) - depthOf(other));
}

type Parents = Map<string, string | null>;

/** Notes the depth of an item and of all that it is in. Returns the items that are inside themselves. */
function measure(label: string, parents: Parents, depths: Map<string, number>): string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  let at: string | null = label;
  while (at !== null && !depths.has(at) && !seen.has(at)) {
    path.push(at);
    seen.add(at);
    at = parents.get(at) ?? null;
  }
  const circle = at !== null && seen.has(at) ? path.slice(path.indexOf(at)) : [];
  for (const one of circle) depths.set(one, 0);
  for (const one of path.slice(0, path.length - circle.length).toReversed()) {
    depths.set(one, (depths.get(parents.get(one) ?? "") ?? -1) + 1);
  }
  return circle;
}

/** Of the items that rows name, and of all around them, by ICS id. */
async function presentParents(read: Read, rows: RowOfItem[]): Promise<Parents> {
  const named = rows.flatMap(({ entry }) => [
    ...(entry.label ? [entry.label] : []),
    ...(entry.filled.parent ? [entry.filled.parent.toUpperCase()] : []),
  ]);
  // In SQL: the builder has no recursive queries.
  const found = await read<{ ics_id: string; parent: string | null }>(sql`
    with recursive above as (
      select id, ics_id, parent_id from items where ics_id = any(${sql.param(named)}::text[])
      union select items.id, items.ics_id, items.parent_id from items join above on items.id = above.parent_id
    )
    select above.ics_id, parent.ics_id as parent from above left join items parent on parent.id = above.parent_id`);
  return new Map(found.map(({ ics_id, parent }) => [ics_id, parent]));
}
