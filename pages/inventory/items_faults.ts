// All that is wrong with a form at once: where the shape refuses some fields, the others are tried
// without them, and nothing of it is kept.
import type { Static, TObject } from "@sinclair/typebox";
import { type Caller, rehearsing } from "../../src/auth.ts";
import { type Fault, refuse } from "../../src/errors.ts";
import { readForm } from "../../src/shape.ts";
import { attempt } from "../forms.tsx";

interface Trying<Shape extends TObject, Done> {
  shape: Shape;
  work: (caller: Caller, input: Static<Shape>) => Promise<Done>;
}

export async function attemptAll<Shape extends TObject, Done>(
  caller: Caller,
  form: FormData,
  { shape, work }: Trying<Shape, Done>,
): ReturnType<typeof attempt<Done>> {
  const read = await attempt(async () => readForm(shape, form));
  if ("done" in read) return attempt(() => work(caller, read.done));
  const { faults } = read.refusal;
  const rest = without(form, faults);
  const tried = await attempt(async () => work(rehearsing(caller), readForm(shape, rest)));
  return "done" in tried ? read : { refusal: refuse([...faults, ...tried.refusal.faults]) };
}

/** An item cannot be tried without a serial number, so it gets one that every item could have. */
function without(form: FormData, faults: Fault[]): FormData {
  const rest = new FormData();
  const refused = faults.map(({ field }) => field.split(".")[0]);
  for (const [name, value] of form) if (!refused.includes(name)) rest.append(name, value);
  if (!rest.has("serial_number")) rest.set("serial_number", "-");
  return rest;
}
