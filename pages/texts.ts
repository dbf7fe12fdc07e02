// Texts that appear on several pages.
import { whoMay } from "../src/auth/auth.ts";
import type { FieldError } from "../src/input/errors.ts";
import { countOf } from "./parts/count.ts";

export const NO_CHANGES = "No changes";
export const CHANGED_MEANWHILE = "Changed by another user; save again to keep your value";
export const ROWS_WITH_ERRORS = "Nothing was applied: some rows have errors";
export const MACS_HINT = "One per line, in any notation";
export const ENTER_GROUP = "Enter the name of a group";
export const ONLY_EMPTY_NETWORKS = "Only a network without interfaces can be deleted.";
export const ONLY_EMPTY_SCOPES = "Only a scope without networks can be deleted.";
export const CODE_STOPS_WORKING = "Its printed code stops working.";

export function added(what: string): string {
  return `Added ${what}`;
}

/** With the labels of the changed fields, if they are known: "Saved AAA001: location and status changed". */
export function saved(what: string, fields: readonly string[] = []): string {
  return fields.length > 0 ? `Saved ${what}: ${AND.format(fields)} changed` : `Saved ${what}`;
}

const AND = new Intl.ListFormat("en-GB");

export function onlyUnused(what: string): string {
  return `Only an unused ${what} can be deleted.`;
}

export function deleted(what: string): string {
  return `Deleted ${what}`;
}

/** The result of an import or of the scan desk. */
export function appliedItems({ registered, changed }: { registered: number; changed: number }) {
  const parts = [
    ...(registered > 0 ? [`added ${countOf(registered, "item")}`] : []),
    ...(changed > 0 ? [`changed ${countOf(changed, "item")}`] : []),
  ];
  return inTitle(parts.join(", "));
}

/** For those who may not: who adds the first record of an empty list. */
export function whoAdds(editors: readonly string[]): string {
  return `${inTitle(whoMay(editors))} add them`;
}

export function reasonsOf(errors: FieldError[]): string {
  return errors.map(({ message }) => inPlainWords(message)).join("; ");
}

/** A sentence of the API as pages say it: There is no model "X1". */
export function inPlainWords(message: string): string {
  return message
    .replace(/^'(.*)' is not a valid ([\w ]+)(?=$|\. Did)/s, 'There is no $2 "$1"')
    .replace(
      /^Invalid credentials$/,
      "Username or password is wrong. An administrator can set a new password",
    )
    .replace(/(?<=^|[\s(])'([^']+)'(?=[\s.,;:)]|$)/g, '"$1"');
}

export function inTitle(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
