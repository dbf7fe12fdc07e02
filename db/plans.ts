// How PostgreSQL plans the statements of a connection.
import type { SQL } from "bun";

/**
 * How PostgreSQL plans a statement with values on a connection: by default it plans it for the values of the first five
 * times, and for all values only if such a plan promises to be as good. "generic" plans it once for all values: for
 * records that are read by their keys, of which the plan is the same, and takes several times as long as the reading.
 */
export type Plans = "auto" | "generic";

/** Connections that use generic plans now. */
const withGenericPlans = new WeakSet<SQL>();

/** The statement to send before others that want such plans, if the connection does not use them yet. */
export function settingOf(using: SQL, wanted: Plans): string | undefined {
  const isGeneric = wanted === "generic";
  if (isGeneric === withGenericPlans.has(using)) return undefined;
  if (isGeneric) withGenericPlans.add(using);
  else withGenericPlans.delete(using);
  return `set plan_cache_mode = ${isGeneric ? "force_generic_plan" : "auto"}`;
}

/** Of a connection that was closed: the next one begins with "auto". */
export function forgetPlans(using: SQL): void {
  withGenericPlans.delete(using);
}
