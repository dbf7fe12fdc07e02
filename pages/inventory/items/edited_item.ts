// The item behind an edit form, and what to show when somebody else was faster.
import type { Caller } from "../../../src/auth/auth.ts";
import { isTemporary } from "../../../src/inventory/items/ics_ids.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { VALUES, type Values, valuesAt, valuesOf } from "../../../src/inventory/items/versions.ts";
import * as parts from "../../parts/conflict.tsx";
import type { Values as Texts } from "../../parts/forms.tsx";
import { versionIn } from "../../request/form_values.ts";

export interface Edited {
  id: number;
  ics_id: string;
  isTemporary: boolean;
  version: number;
  values: Values;
  macs: string[];
  user: string | null;
  updated_at: string;
}

export async function readEdited(caller: Caller, which: string): Promise<Edited> {
  const found = await items.find(caller, which);
  const { id, ics_id, macs, user, updated_at } = JSON.parse(found.json);
  const temporary = isTemporary(ics_id);
  const values = { ...valuesOf(found), ...(temporary ? { ics_id: "" } : {}) };
  const { version } = found;
  return { id, ics_id, isTemporary: temporary, version, values, macs, user, updated_at };
}

interface Overtaken {
  edited: Edited;
  form: FormData;
  sent: Texts;
}

/** Of an item without a label the field is empty. */
export async function conflictOf(caller: Caller, { edited, form, sent }: Overtaken) {
  const known = await valuesAt(caller, edited.id, versionIn(form));
  const base = known && { ...known, ics_id: isTemporary(known.ics_id) ? "" : known.ics_id };
  return parts.conflictOf({ names: VALUES, edited, base, sent });
}
