// Collects all errors of a form: where some fields are refused, the others are tried without them in a transaction that
// is rolled back, until no further errors are found.
import type { Static, TObject } from "@sinclair/typebox";
import { asDryRun, type Caller } from "../../src/auth/auth.ts";
import { type FieldError, refuse } from "../../src/input/errors.ts";
import { readForm } from "../../src/input/shape.ts";
import { attempt } from "./forms.tsx";

export interface Trying<Shape extends TObject, Done> {
  shape: Shape;
  work: (caller: Caller, input: Static<Shape>) => Promise<Done>;
  /** For fields that nothing can be tried without: what every record could have. */
  otherwise?: Record<string, string>;
  /** Fields that say nothing without another one. */
  hanging?: Record<string, string>;
}

export async function attemptAll<Shape extends TObject, Done>(
  caller: Caller,
  form: FormData,
  trying: Trying<Shape, Done>,
): ReturnType<typeof attempt<Done>> {
  const { shape, work } = trying;
  const tried = await attempt(async () => work(caller, readForm(shape, form)));
  if ("done" in tried || tried.refusal.status === 412) return tried;
  const { errors: faults } = tried.refusal;
  const all = await withFurther(faults, async (known) => {
    const rest = without(form, known, trying);
    const next = await attempt(async () => work(asDryRun(caller), readForm(shape, rest)));
    return "done" in next ? [] : next.refusal.errors;
  });
  return all.length > faults.length ? { refusal: refuse(inOrder(all, shape)) } : tried;
}

/** Of the fields of the form. */
function inOrder(faults: FieldError[], { properties }: TObject): FieldError[] {
  const fields = Object.keys(properties);
  const placeOf = (fault: FieldError) => fields.indexOf(nameOf(fault));
  return faults.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Without the place of one value among several. */
function nameOf({ field }: FieldError): string {
  return field.split(".")[0] ?? "";
}

type Trial = (known: FieldError[]) => Promise<FieldError[]>;

async function withFurther(known: FieldError[], trial: Trial): Promise<FieldError[]> {
  const found = await trial(known);
  const further = found.filter((one) => !known.some(({ field }) => field === one.field));
  return further.length > 0 ? withFurther([...known, ...further], trial) : known;
}

function without(
  form: FormData,
  faults: FieldError[],
  { otherwise = {}, hanging = {} }: Pick<Trying<TObject, unknown>, "otherwise" | "hanging">,
): FormData {
  const refused = faults.map(nameOf);
  const rest = new FormData();
  for (const [name, value] of form) {
    const above = hanging[name] ?? name;
    if (!refused.includes(name) && !refused.includes(above)) rest.append(name, value);
  }
  for (const [name, value] of Object.entries(otherwise)) {
    if (!rest.has(name)) rest.set(name, value);
  }
  return rest;
}
