// Saves the form of a record. All errors are shown at once: after a refusal, the form is tried again without the refused
// fields in a dry run until there are no further errors. If another user has saved the record meanwhile, the form is
// shown again with the changes of both.
import type { Static, TObject } from "@sinclair/typebox";
import { asDryRun, type Caller } from "../../src/auth/auth.ts";
import { type FieldError, type Refusal, refuse } from "../../src/input/errors.ts";
import { readFormInput } from "../../src/input/shape.ts";
import type { Resource } from "../../src/store/resource.ts";
import { recordAt, textsIn } from "../../src/store/versions.ts";
import { conflictOf, type EditConflict } from "../parts/conflict.tsx";
import { attempt, blank, type Filled, type FormValues, refused } from "../parts/forms.tsx";
import { versionIn } from "../request/form_values.ts";

export interface FormAttempt<Shape extends TObject, Done> {
  shape: Shape;
  /** Reads the form, if not simply by its shape. */
  read?: (form: FormData) => Static<Shape>;
  work: (caller: Caller, input: Static<Shape>) => Promise<Done>;
  /** Valid values for required fields, used in a dry run if the submitted value was refused. */
  placeholders?: Record<string, string>;
  /** Fields that have no meaning without another one: they are left out with it. */
  dependents?: Record<string, string>;
}

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
  /** Without history there is no earlier version: the form is shown again as it was sent. */
  hasHistory?: boolean;
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
  const { valuesOf = (record: object) => textsIn(record, names), hasHistory = true } = request;
  const tried = await attemptForm(caller, form, request);
  if ("done" in tried) return tried;
  const { refusal } = tried;
  const filled = refused(shape, form, refusal);
  const { status } = refusal;
  const version = versionIn(form) || edited.version;
  if (status !== 412) return { refused: { filled, status, refusal, version } };
  if (!hasHistory) return { refused: { filled, status, refusal, version: edited.version } };
  const record = await recordAt(resource, caller, { id: edited.id, version });
  const base = record && valuesOf(record);
  const { conflict, values } = conflictOf({ names, edited, base, sent: filled.values });
  const merged = blank(shape, values);
  return { refused: { filled: merged, status, refusal, version: edited.version, conflict } };
}

export async function attemptForm<Shape extends TObject, Done>(
  caller: Caller,
  form: FormData,
  trying: FormAttempt<Shape, Done>,
): ReturnType<typeof attempt<Done>> {
  const { shape, work, read = (sent) => readFormInput(shape, sent) } = trying;
  const tried = await attempt(async () => work(caller, read(form)));
  if ("done" in tried || tried.refusal.status === 412) return tried;
  const { errors } = tried.refusal;
  const all = await withFurther(errors, async (known) => {
    const rest = without(form, known, trying);
    const next = await attempt(async () => work(asDryRun(caller), read(rest)));
    return "done" in next ? [] : next.refusal.errors;
  });
  return all.length > errors.length ? { refusal: refuse(inOrder(all, shape)) } : tried;
}

/** An error of the body as a whole: without the refused fields, nothing may be left of it. */
const OF_BODY = "body";

/** In the order of the fields. */
function inOrder(errors: FieldError[], { properties }: TObject): FieldError[] {
  const fields = Object.keys(properties);
  const indexOf = (error: FieldError) => fields.indexOf(nameOf(error));
  return errors.toSorted((one, other) => indexOf(one) - indexOf(other));
}

/** Without the index of the value in a list field. */
function nameOf({ field }: FieldError): string {
  return field.split(".")[0] ?? "";
}

type Trial = (known: FieldError[]) => Promise<FieldError[]>;

async function withFurther(known: FieldError[], trial: Trial): Promise<FieldError[]> {
  const found = await trial(known);
  const further = found.filter(
    (one) => one.field !== OF_BODY && !known.some(({ field }) => field === one.field),
  );
  return further.length > 0 ? withFurther([...known, ...further], trial) : known;
}

function without(
  form: FormData,
  errors: FieldError[],
  {
    placeholders = {},
    dependents = {},
  }: Pick<FormAttempt<TObject, unknown>, "placeholders" | "dependents">,
): FormData {
  const refused = errors.map(nameOf);
  const rest = new FormData();
  for (const [name, value] of form) {
    const above = dependents[name] ?? name;
    if (!refused.includes(name) && !refused.includes(above)) rest.append(name, value);
  }
  for (const [name, value] of Object.entries(placeholders)) {
    if (!rest.has(name)) rest.set(name, value);
  }
  return rest;
}
