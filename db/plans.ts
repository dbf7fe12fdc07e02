// How PostgreSQL plans the statements of a connection.
import type { SQL } from "bun";
import { type SQL as Fragment, sql } from "drizzle-orm";
import type { DatabaseTarget } from "./connect.ts";

/**
 * How PostgreSQL plans a statement with values on a connection: by default it plans it for the values of the first five
 * times, and for all values only if such a plan promises to be as good. "generic" plans it once for all values: for
 * records that are read by their keys, of which the plan is the same, and takes several times as long as the reading.
 */
export type Plans = "auto" | "generic";

/** Connections that use generic plans now. */
const withGenericPlans = new WeakSet<SQL>();

/**
 * Whether a setting stays with its connection, by the server. PgBouncer drops the settings with which connections start, and in
 * transaction mode gives the next statement another connection: others would get ours.
 */
const keepsSettings = new WeakMap<DatabaseTarget, boolean>();

interface PlannedServer {
  target: DatabaseTarget;
  /** Asks on a connection that started with generic plans. */
  ask(query: Fragment): Promise<{ mode: string } | undefined>;
}

/** The statement to send before others that want such plans, if the connection does not use them yet. */
export function settingOf(using: SQL, wanted: Plans, server: PlannedServer): string | undefined {
  const isGeneric = wanted === "generic";
  if (isGeneric && !keepsSettings.has(server.target)) void findWhetherKept(server);
  if (!keepsSettings.get(server.target)) return undefined;
  if (isGeneric === withGenericPlans.has(using)) return undefined;
  if (isGeneric) withGenericPlans.add(using);
  else withGenericPlans.delete(using);
  return `set plan_cache_mode = ${isGeneric ? "force_generic_plan" : "auto"}`;
}

async function findWhetherKept({ target, ask }: PlannedServer): Promise<void> {
  keepsSettings.set(target, false);
  try {
    const found = await ask(sql`select current_setting('plan_cache_mode') as mode`);
    keepsSettings.set(target, found?.mode === "force_generic_plan");
  } catch {
    keepsSettings.delete(target);
  }
}

/** Of a connection that was closed: the next one begins with "auto". */
export function forgetPlans(using: SQL): void {
  withGenericPlans.delete(using);
}
