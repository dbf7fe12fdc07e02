// Locations inside other locations: a rack in a hall in a building.
import { locations } from "../../../db/tables/inventory.ts";
import { type FieldError, refuse } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import { isInside } from "../../store/tree.ts";
import type { Transaction } from "../../store/write.ts";

/** Serializes changes of the tree. */
export function lockLocationTree(tx: Transaction): Promise<void> {
  return advisoryLock(tx, "location tree");
}

const CYCLE: FieldError = {
  field: "parent",
  message: "A location cannot be inside of itself or of a location within it",
};

/** The caller holds the lock of the tree. */
export async function refuseLocationCycle(
  tx: Transaction,
  id: number,
  parent: number,
): Promise<void> {
  if (await isInside(tx, locations, { id: parent, of: id })) throw refuse([CYCLE]);
}
