// Registers MAC addresses, and puts them on items.
import { type Static, Type } from "@sinclair/typebox";
import { FOREIGN_KEY, QueryRejected } from "../../../db/errors.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuse } from "../../input/errors.ts";
import { atLeastOne, closed, foreignKey, nullable } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { changeFields, creationFields } from "../../store/resource.ts";
import { noSuchItem } from "../items/item_rules.ts";
import { type Mac, mac } from "./mac.ts";

const item_id = nullable(foreignKey("item"));

export const newMac = closed({ ...creationFields(mac), item_id: Type.Optional(item_id) });
export const changedMac = atLeastOne({ ...changeFields(mac), item_id });

type NewMac = Static<typeof newMac>;
type ChangedMac = Static<typeof changedMac>;

export function create(caller: Caller, input: NewMac): Promise<records.RecordJson<Mac>> {
  return refusingUnknownItem(input, () => crud.create(mac, caller, input));
}

export function update(
  caller: Caller,
  id: number,
  input: ChangedMac,
): Promise<records.RecordJson<Mac>> {
  return refusingUnknownItem(input, () => crud.update(mac, caller, id, input));
}

export function remove(caller: Caller, id: number): Promise<void> {
  return crud.remove(mac, caller, id);
}

/** The foreign key decides whether the item exists: a check before the write could be outdated. */
async function refusingUnknownItem<T>({ item_id }: ChangedMac, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QueryRejected && error.code === FOREIGN_KEY) {
      throw refuse([noSuchItem("item_id", item_id ?? 0)]);
    }
    throw error;
  }
}
