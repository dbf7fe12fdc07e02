// The type of a group and the fields that belong to it: a static group has members, the other a query.
import type { FieldError } from "../../input/errors.ts";
import { PRIORITY, type Vars } from "../variables/variables.ts";

export interface GroupKind {
  type: "static" | "query";
  query: string | null;
}

export const STATIC: GroupKind = { type: "static", query: null };

interface KindInput extends Partial<GroupKind> {
  vars?: Vars;
}

/** A group that becomes static loses its query. */
export function changedKind({ type, query }: KindInput, now: GroupKind): GroupKind {
  const wanted = type ?? now.type;
  const present = wanted === "query" ? now.query : null;
  return { type: wanted, query: query === undefined ? present : query };
}

export const FOUND_BY_QUERY = "The hosts of this group are found by its query";

export function kindErrors({ type, query }: GroupKind, { vars = {} }: KindInput): FieldError[] {
  const errors: FieldError[] = [];
  if (type === "static" && query !== null) {
    errors.push({ field: "query", message: "Only groups of type query have a query" });
  }
  if (type === "query" && query === null) {
    errors.push({ field: "query", message: "Enter the query that finds its hosts" });
  }
  // Ansible refuses the whole inventory otherwise.
  if (PRIORITY in vars && !Number.isInteger(vars[PRIORITY])) {
    errors.push({ field: "vars", message: `Use a whole number for ${PRIORITY}` });
  }
  return errors;
}
