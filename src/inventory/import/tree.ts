// The tree of items as the import would leave it: rows move items into one another, and what is inside moves along.
import type { FieldError } from "../../input/errors.ts";
import { CYCLE, type ItemPlace } from "../items/item_rules.ts";
import type { Draft } from "./drafts.ts";
import type { ExistingRecords } from "./existing_records.ts";
import { hasErrors } from "./row_dependencies.ts";

const COLUMNS = ["location_id", "status_id"] as const;

/** What an item inherits from its parent. */
export type InheritedPlace = Omit<ItemPlace, "parent_id">;

/** The tree as it is, or would be if the rows that are not refused were applied. */
interface ImportTree {
  drafts: Map<number, Draft>;
  known: ExistingRecords;
}

function treeOf(drafts: Draft[], known: ExistingRecords): ImportTree {
  const good = drafts.filter((draft) => !hasErrors(draft));
  return { drafts: new Map(good.map((draft) => [draft.id, draft])), known };
}

function parentOf({ drafts, known }: ImportTree, id: number): number | null {
  const draft = drafts.get(id);
  return draft ? draft.parent_id : (known.around.get(id)?.parent_id ?? null);
}

/** Refuses the rows that would make a cycle. */
export function refuseCycles(drafts: Draft[], known: ExistingRecords): void {
  const tree = treeOf(drafts, known);
  const moved = itemsInCycles(tree).flatMap((id) => tree.drafts.get(id) ?? []);
  refuse(moved.filter(isMoved), CYCLE);
}

/**
 * Items of refused rows stay where they are, which may make another cycle. Then no existing item is moved at all. New
 * items have nothing inside, so they cannot be part of a cycle.
 */
export function refuseRemainingCycles(drafts: Draft[], known: ExistingRecords): void {
  const tree = treeOf(drafts, known);
  if (itemsInCycles(tree).length === 0) return;
  const moved = [...tree.drafts.values()].filter((draft) => draft.existing && isMoved(draft));
  refuse(moved, WOULD_MEET);
}

const WOULD_MEET: FieldError = {
  field: "parent",
  message: "This move conflicts with an item whose own move is refused",
};

function refuse(drafts: Draft[], error: FieldError): void {
  for (const { errors } of drafts) errors.push(error);
}

function isMoved({ parent_id, existing }: Draft): boolean {
  return parent_id !== (existing?.parent_id ?? null);
}

/** All items that are, directly or indirectly, inside themselves. */
function itemsInCycles(tree: ImportTree): number[] {
  const seen = new Set<number>();
  return [...tree.drafts.keys()].flatMap((start) => cycleAbove(tree, start, seen));
}

function cycleAbove(tree: ImportTree, start: number, seen: Set<number>): number[] {
  const path = new Set<number>();
  for (let id: number | null = start; id !== null; id = parentOf(tree, id)) {
    if (path.has(id)) return [...path].slice([...path].indexOf(id));
    if (seen.has(id)) return [];
    seen.add(id);
    path.add(id);
  }
  return [];
}

/** The location and status that each item would have. */
export function inheritedPlaces(
  drafts: Draft[],
  known: ExistingRecords,
): Map<number, InheritedPlace> {
  const tree = treeOf(drafts, known);
  const places = new Map<number, InheritedPlace>();
  for (const start of [...tree.drafts.keys(), ...known.around.keys()]) {
    const chain: number[] = [];
    for (let id: number | null = start; id !== null && !places.has(id); id = parentOf(tree, id)) {
      chain.push(id);
    }
    // From the top, since a place depends on that of the parent.
    for (const id of chain.reverse()) places.set(id, placeOf(tree, id, places));
  }
  return places;
}

function placeOf(
  tree: ImportTree,
  id: number,
  places: Map<number, InheritedPlace>,
): InheritedPlace {
  const draft = tree.drafts.get(id);
  const was = tree.known.around.get(id);
  const parent = parentOf(tree, id);
  const above = parent === null ? undefined : places.get(parent);
  const before = parent === null ? undefined : tree.known.around.get(parent);
  const isReparented = parent !== null && parent !== (was?.parent_id ?? null);
  const [location_id = null, status_id = null] = COLUMNS.map((column) => {
    const given = draft?.place[column];
    if (given !== undefined) return given;
    const hasParentMoved =
      above !== undefined && before !== undefined && above[column] !== before[column];
    return isReparented || hasParentMoved ? above?.[column] : was?.[column];
  });
  return { location_id, status_id };
}
