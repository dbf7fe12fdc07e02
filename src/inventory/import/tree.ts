// Where everything would stand: rows put items into one another, and what moves takes along what is inside.
import type { Fault } from "../../input/errors.ts";
import { CYCLE, type Place } from "../items/item_rules.ts";
import type { Draft } from "./drafts.ts";
import type { Known } from "./existing_records.ts";
import { isRefused } from "./row_dependencies.ts";

const COLUMNS = ["location_id", "status_id"] as const;

/** What an item takes over from what it is in. */
export type Location = Omit<Place, "parent_id">;

/** The tree as it is, or would be if the rows that are not refused were applied. */
interface Tree {
  drafts: Map<number, Draft>;
  known: Known;
}

function treeOf(drafts: Draft[], known: Known): Tree {
  const good = drafts.filter((draft) => !isRefused(draft));
  return { drafts: new Map(good.map((draft) => [draft.id, draft])), known };
}

function parentOf({ drafts, known }: Tree, id: number): number | null {
  const draft = drafts.get(id);
  return draft ? draft.parent_id : (known.around.get(id)?.parent_id ?? null);
}

/** Refuses the rows that would close a circle. */
export function refuseCircles(drafts: Draft[], known: Known): void {
  const tree = treeOf(drafts, known);
  const moved = circlesIn(tree).flatMap((id) => tree.drafts.get(id) ?? []);
  refuse(moved.filter(isMoved), CYCLE);
}

/**
 * What is refused stays where it is, which may close another circle. Then no item that is there already
 * is moved at all: what is new has nothing inside of it.
 */
export function refuseOtherCircles(drafts: Draft[], known: Known): void {
  const tree = treeOf(drafts, known);
  if (circlesIn(tree).length === 0) return;
  const moved = [...tree.drafts.values()].filter((draft) => draft.kept && isMoved(draft));
  refuse(moved, WOULD_MEET);
}

const WOULD_MEET: Fault = {
  field: "parent",
  message: "Another row that moves an item is refused, and this one would meet it there",
};

function refuse(drafts: Draft[], fault: Fault): void {
  for (const { faults } of drafts) faults.push(fault);
}

function isMoved({ parent_id, kept }: Draft): boolean {
  return parent_id !== (kept?.parent_id ?? null);
}

/** All that stand, by way of others, inside of themselves. */
function circlesIn(tree: Tree): number[] {
  const seen = new Set<number>();
  return [...tree.drafts.keys()].flatMap((start) => circleAbove(tree, start, seen));
}

function circleAbove(tree: Tree, start: number, seen: Set<number>): number[] {
  const path = new Set<number>();
  for (let id: number | null = start; id !== null; id = parentOf(tree, id)) {
    if (path.has(id)) return [...path].slice([...path].indexOf(id));
    if (seen.has(id)) return [];
    seen.add(id);
    path.add(id);
  }
  return [];
}

/** Where each item around would stand. */
export function placesOf(drafts: Draft[], known: Known): Map<number, Location> {
  const tree = treeOf(drafts, known);
  const places = new Map<number, Location>();
  for (const start of [...tree.drafts.keys(), ...known.around.keys()]) {
    const chain: number[] = [];
    for (let id: number | null = start; id !== null && !places.has(id); id = parentOf(tree, id)) {
      chain.push(id);
    }
    // From the top, so that what is above is settled first.
    for (const id of chain.reverse()) places.set(id, placeOf(tree, id, places));
  }
  return places;
}

function placeOf(tree: Tree, id: number, places: Map<number, Location>): Location {
  const draft = tree.drafts.get(id);
  const was = tree.known.around.get(id);
  const parent = parentOf(tree, id);
  const above = parent === null ? undefined : places.get(parent);
  const before = parent === null ? undefined : tree.known.around.get(parent);
  const isPut = parent !== null && parent !== (was?.parent_id ?? null);
  const [location_id = null, status_id = null] = COLUMNS.map((column) => {
    const given = draft?.place[column];
    if (given !== undefined) return given;
    const isCarried =
      above !== undefined && before !== undefined && above[column] !== before[column];
    return isPut || isCarried ? above?.[column] : was?.[column];
  });
  return { location_id, status_id };
}
