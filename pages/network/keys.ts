import { invalid, notFound } from "../../src/errors.ts";
import { LARGEST_KEY } from "../../src/shape.ts";
import { field } from "../posted.ts";

/** The primary key in a field of a form; what is none is nobody's. */
export function keyIn(form: FormData, name: string): number {
  const text = field(form, name);
  if (!/^[1-9][0-9]{0,9}$/.test(text) || Number(text) > LARGEST_KEY) throw notFound();
  return Number(text);
}

/** Those of the rows that are ticked in a list. */
export function keysIn(form: FormData): number[] {
  const texts = form.getAll("id").map(String);
  if (!texts.every((text) => /^[1-9][0-9]{0,8}$/.test(text))) {
    throw invalid("id", "Name the hosts by their primary keys");
  }
  return [...new Set(texts.map(Number))];
}
