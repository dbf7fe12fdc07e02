// The described resources by their tables. From here the shared layer, which imports no resource, learns what the records
// of a table are called and who may see them.
import type { SQL } from "drizzle-orm";
import type { Caller, Permission } from "../auth/auth.ts";

interface Registered {
  noun: string;
  plural: string;
  /** The column with the name of a record. */
  key?: string;
  /** Of its table. */
  name: string;
  /** Who creates and changes its records. */
  editors?: readonly Permission[];
  visible?: (caller: Caller) => SQL;
}

const byTable = new Map<string, Registered>();

export function register(resource: Registered): void {
  byTable.set(resource.name, resource);
}

export function registered(table: string): Registered | undefined {
  return byTable.get(table);
}
