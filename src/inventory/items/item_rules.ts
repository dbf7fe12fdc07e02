// The rules for ICS ids, and the sentences of other rules for items.

import { type FieldError, refuse } from "../../input/errors.ts";
import { notMac } from "../../input/kinds.ts";
import { constraintError } from "../../store/constraints.ts";

/** Normalizes an ICS id, and refuses a temporary one: those are assigned by the service. */
export function chosenId(text: string): string {
  const id = text.toUpperCase();
  if (isTemporary(id)) throw refuse([TEMPORARY]);
  return id;
}

/** Temporary ids are assigned to items without a printed label. */
export function isTemporary(id: string): boolean {
  return id.startsWith("ZZ");
}

const TEMPORARY: FieldError = {
  field: "ics_id",
  message: "Ids that begin with ZZ are temporary and assigned automatically",
};

export const NO_TEMPORARY_ID: FieldError = {
  field: "ics_id",
  message: "All temporary ids are in use; enter a label",
};

/** The new ICS id of an item, or undefined if it does not change. Only a temporary id can be replaced. */
export function newId(now: string, wanted: string | undefined): string | undefined {
  if (wanted === undefined || wanted.toUpperCase() === now) return undefined;
  if (isTemporary(now)) return chosenId(wanted);
  throw refuse([
    { field: "ics_id", message: `The label ${now} is not temporary and cannot be changed` },
  ]);
}

/** Where an item is: its parent, location and status. */
export interface ItemPlace {
  parent_id: number | null;
  location_id: number | null;
  status_id: number | null;
}

/** The lock of the tree, and of places that are passed down in it. */
export const ITEM_TREE = "item tree";

export const CYCLE = constraintError("items_parent_not_itself");

export const NO_STACK: FieldError = {
  field: "stack_member",
  message: "Only a host of the device type Network has stack members",
};

/** For a host that has stack members and gets a device type without them. */
export function stackMembersOf(count: number): FieldError {
  const are = count === 1 ? "is a stack member" : "are stack members";
  return { field: "device_type", message: `${count} of its items ${are}; remove them first` };
}

export const MEMBER_TAKEN = constraintError("items_stack_member_key");

/** The item is mounted on a hidden host, which the message must not reveal. */
export function unavailableItem(field: string, ics_id: string): FieldError {
  const message = "This item is not available";
  return { field, message, taken: { value: ics_id, isHidden: true } };
}

export function noSuchItem(field: string, id: number): FieldError {
  return { field, message: `There is no item ${id}` };
}

/** A MAC address is on one item at a time. */
export function macOnOtherItem(address: string, ics_id: string): FieldError {
  return { field: "macs", message: `${address} is on the item ${ics_id}` };
}

export function notAMac(text: unknown): FieldError {
  return { field: "macs", message: notMac(text) };
}
