// Saves a form that changes a record: all errors are shown at once, and if another user has saved the record meanwhile,
// the form is shown again with the changes of both.
import type { TObject } from "@sinclair/typebox";
import type { Caller } from "../../src/auth/auth.ts";
import type { Refusal } from "../../src/input/errors.ts";
import type { Resource } from "../../src/store/resource.ts";
import { recordAt, textsIn } from "../../src/store/versions.ts";
import { versionIn } from "../request/form_values.ts";
import { attemptForm, type FormAttempt } from "./collect_errors.ts";
import { conflictOf, type EditConflict } from "./conflict.tsx";
import { blank, type Filled, type FormValues, refused } from "./forms.tsx";

/** The current record with the values of its form. */
export interface EditedRecord {
  id: number;
  version: number;
  values: FormValues;
  /** Who saved it last and when, if the record stores it. */
  user?: string | null;
  updated_at?: string | null;
}

interface SaveRequest<Shape extends TObject, Done> extends FormAttempt<Shape, Done> {
  form: FormData;
  edited: EditedRecord;
  resource: Resource;
  /** The form values of an earlier version, if they are not simply its fields. */
  valuesOf?: (record: object) => FormValues;
}

/** The form that is shown again after a refusal. */
export interface RefusedEdit {
  filled: Filled;
  status: number;
  refusal: Refusal;
  /** The version that the form is based on from now on. */
  version: number;
  conflict?: EditConflict;
}

export async function save<Shape extends TObject, Done>(
  caller: Caller,
  request: SaveRequest<Shape, Done>,
): Promise<{ done: Done } | { refused: RefusedEdit }> {
  const { form, edited, shape, resource } = request;
  const names = Object.keys(edited.values);
  const { valuesOf = (record: object) => textsIn(record, names) } = request;
  const tried = await attemptForm(caller, form, request);
  if ("done" in tried) return tried;
  const { refusal } = tried;
  const filled = refused(shape, form, refusal);
  const { status } = refusal;
  const version = versionIn(form) || edited.version;
  if (status !== 412) return { refused: { filled, status, refusal, version } };
  const record = await recordAt(resource, caller, { id: edited.id, version });
  const base = record && valuesOf(record);
  const { conflict, values } = conflictOf({ names, edited, base, sent: filled.values });
  const merged = blank(shape, values);
  return { refused: { filled: merged, status, refusal, version: edited.version, conflict } };
}
