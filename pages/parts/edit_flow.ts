// How every form that changes a record is saved: all that is wrong is told at once, and where somebody else has saved
// the record meanwhile, the form comes back with the changes of both.
import type { TObject } from "@sinclair/typebox";
import type { Caller } from "../../src/auth/auth.ts";
import { versionIn } from "../request/form_values.ts";
import { attemptAll, type Trying } from "./collect_errors.ts";
import { type Conflicting, conflictOf } from "./conflict.tsx";
import { blank, type Filled, refused, type Values } from "./forms.tsx";

/** A record as it is now, by the fields of its form. */
export interface Edited {
  version: number;
  values: Values;
  user: string | null;
  updated_at: string;
}

interface Saving<Shape extends TObject, Done> extends Trying<Shape, Done> {
  form: FormData;
  edited: Edited;
  /** The fields as they were when the form was opened; undefined where that is not known. */
  valuesAt: (version: number) => Promise<Values | undefined>;
}

/** The form as it is shown again. */
export interface Again {
  filled: Filled;
  status: number;
  /** The version that the form goes on from. */
  version: number;
  conflict?: Conflicting;
}

export async function save<Shape extends TObject, Done>(
  caller: Caller,
  saving: Saving<Shape, Done>,
): Promise<{ done: Done } | { again: Again }> {
  const { form, edited, shape, valuesAt } = saving;
  const tried = await attemptAll(caller, form, saving);
  if ("done" in tried) return tried;
  const filled = refused(shape, form, tried.refusal);
  const { status } = tried.refusal;
  const version = versionIn(form) || edited.version;
  if (status !== 412) return { again: { filled, status, version } };
  const base = await valuesAt(version);
  const names = Object.keys(edited.values);
  const { conflict, values } = conflictOf({ names, edited, base, sent: filled.values });
  return {
    again: { filled: blank(shape, values), status, version: edited.version, conflict },
  };
}
