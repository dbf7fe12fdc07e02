// The item behind an edit form, and what to show when somebody else was faster.
import type { Caller } from "../../src/auth.ts";
import { isTemporary } from "../../src/inventory/ics_ids.ts";
import { type Values, valuesAt, valuesOf } from "../../src/inventory/item_versions.ts";
import * as items from "../../src/inventory/items.ts";
import type { Values as Texts } from "../forms.tsx";
import { field } from "../posted.ts";
import { type Conflicting, merged } from "./items_conflict.tsx";

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
  yours: Texts;
}

/** What was, what they did, what you did; and the form with the changes of both. */
export async function conflictOf(
  caller: Caller,
  { edited, form, yours }: Overtaken,
): Promise<{ conflict: Conflicting; values: Texts }> {
  const version = field(form, "version");
  const known = /^[1-9][0-9]{0,8}$/.test(version)
    ? await valuesAt(caller, edited.id, Number(version))
    : undefined;
  const base = known && { ...known, ics_id: isTemporary(known.ics_id) ? "" : known.ics_id };
  const versions = { base, theirs: edited.values, yours };
  const { user, updated_at: at } = edited;
  return { conflict: { user, at, ...versions }, values: merged(versions) };
}
