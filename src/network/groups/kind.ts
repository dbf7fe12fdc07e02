// The type of a group and the fields that belong to it: a static group has members, the other a query.
import type { FieldError } from "../../input/errors.ts";
import { PRIORITY, type Vars } from "../variables/variables.ts";

export interface GroupKind {
  type: "static" | "query";
  query: string | null;
}

export const STATIC: GroupKind = { type: "static", query: null };

interface KindInput extends Partial<GroupKind> {
  hosts?: string[];
  vars?: Vars;
}

/** A group that becomes static loses its query. */
export function kindOf({ type, query }: KindInput, now: GroupKind): GroupKind {
  const wanted = type ?? now.type;
  const present = wanted === "query" ? now.query : null;
  return { type: wanted, query: query === undefined ? present : query };
}

export function kindErrors(
  { type, query }: GroupKind,
  { hosts = [], vars = {} }: KindInput,
): FieldError[] {
  const errors: FieldError[] = [];
  if (type === "static" && query !== null) {
    errors.push({ field: "query", message: "Only a group of type query has one" });
  }
  if (type === "query" && query === null) {
    errors.push({ field: "query", message: "Say what its hosts are found by" });
  }
  if (type === "query" && hosts.length > 0) {
    errors.push({ field: "hosts", message: "A query chooses the hosts of this group" });
  }
  // Ansible refuses the whole inventory otherwise.
  if (PRIORITY in vars && !Number.isInteger(vars[PRIORITY])) {
    errors.push({ field: "vars", message: `Use a whole number for ${PRIORITY}` });
  }
  return errors;
}
