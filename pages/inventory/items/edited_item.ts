// The item and its values in the edit form.

import type { Caller } from "../../../src/auth/auth.ts";
import { FORM_FIELDS } from "../../../src/inventory/items/form_input.ts";
import { isTemporary } from "../../../src/inventory/items/item_rules.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { requireWritable } from "../../../src/store/rights/check.ts";
import { type Texts, textsIn } from "../../../src/store/versions.ts";
import type { EditedRecord } from "../../parts/edit_flow.ts";

export interface EditedItem extends EditedRecord {
  ics_id: string;
  isTemporary: boolean;
  macs: string[];
}

export async function readEdited(caller: Caller, which: string): Promise<EditedItem> {
  const found = await items.find(caller, which);
  const { version } = found;
  const record = rowOf(found);
  const { id, ics_id, macs, user, updated_at } = record;
  await requireWritable(caller, "items", id);
  const values = valuesOf(record);
  return { id, ics_id, isTemporary: isTemporary(ics_id), version, values, macs, user, updated_at };
}

/** A temporary id leaves the field empty. */
export function valuesOf(record: object): Texts {
  const { ics_id = "", ...values } = textsIn(record, FORM_FIELDS);
  return { ics_id: isTemporary(ics_id) ? "" : ics_id, ...values };
}
