// Of which type a group is, and what goes with that: a static one has hosts of its own, the other a query.
import type { Fault } from "../../input/errors.ts";
import { PRIORITY, type Vars } from "../variables/variables.ts";

export interface Kind {
  type: "static" | "query";
  query: string | null;
}

export const STATIC: Kind = { type: "static", query: null };

interface Input extends Partial<Kind> {
  hosts?: string[];
  vars?: Vars;
}

/** A group that becomes static has no query any more. */
export function kindOf({ type, query }: Input, now: Kind): Kind {
  const wanted = type ?? now.type;
  const kept = wanted === "query" ? now.query : null;
  return { type: wanted, query: query === undefined ? kept : query };
}

export function faultsOf({ type, query }: Kind, { hosts = [], vars = {} }: Input): Fault[] {
  const faults: Fault[] = [];
  if (type === "static" && query !== null) {
    faults.push({ field: "query", message: "Only a group of type query has one" });
  }
  if (type === "query" && query === null) {
    faults.push({ field: "query", message: "Say what its hosts are found by" });
  }
  if (type === "query" && hosts.length > 0) {
    faults.push({ field: "hosts", message: "A query chooses the hosts of this group" });
  }
  // Ansible refuses the whole inventory otherwise.
  if (PRIORITY in vars && !Number.isInteger(vars[PRIORITY])) {
    faults.push({ field: "vars", message: `Use a whole number for ${PRIORITY}` });
  }
  return faults;
}
