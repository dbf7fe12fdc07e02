// How every form that changes a record is saved: all errors are shown at once, and where somebody else has saved the
// record meanwhile, the form is shown again with the changes of both.
import type { TObject } from "@sinclair/typebox";
import type { Caller } from "../../src/auth/auth.ts";
import type { Refusal } from "../../src/input/errors.ts";
import type { Resource } from "../../src/store/resource.ts";
import { recordAt, textsIn } from "../../src/store/versions.ts";
import { versionIn } from "../request/form_values.ts";
import { attemptAll, type Trying } from "./collect_errors.ts";
import { type Conflicting, conflictOf } from "./conflict.tsx";
import { blank, type Filled, refused, type Values } from "./forms.tsx";

/** A record as it is now, with the values of its form. */
export interface Edited {
  id: number;
  version: number;
  values: Values;
  /** Who saved it last and when, of records that tell. */
  user?: string | null;
  updated_at?: string | null;
}

interface Saving<Shape extends TObject, Done> extends Trying<Shape, Done> {
  form: FormData;
  edited: Edited;
  resource: Resource;
  /** The values of the form for an earlier version, where the names of its values are not enough. */
  valuesOf?: (record: object) => Values;
}

/** The form as it is shown again. */
export interface Again {
  filled: Filled;
  status: number;
  refusal: Refusal;
  /** The version that the form is based on from now on. */
  version: number;
  conflict?: Conflicting;
}

export async function save<Shape extends TObject, Done>(
  caller: Caller,
  saving: Saving<Shape, Done>,
): Promise<{ done: Done } | { again: Again }> {
  const { form, edited, shape, resource } = saving;
  const names = Object.keys(edited.values);
  const { valuesOf = (record: object) => textsIn(record, names) } = saving;
  const tried = await attemptAll(caller, form, saving);
  if ("done" in tried) return tried;
  const { refusal } = tried;
  const filled = refused(shape, form, refusal);
  const { status } = refusal;
  const version = versionIn(form) || edited.version;
  if (status !== 412) return { again: { filled, status, refusal, version } };
  const record = await recordAt(resource, caller, { id: edited.id, version });
  const base = record && valuesOf(record);
  const { conflict, values } = conflictOf({ names, edited, base, sent: filled.values });
  const merged = blank(shape, values);
  return { again: { filled: merged, status, refusal, version: edited.version, conflict } };
}
