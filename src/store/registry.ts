// The described resources by their tables. From here the shared layer, which imports no resource, learns which of them
// refer to a record and who may see it.
import type { SQL } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import type { Field } from "./field.ts";

export interface Registered {
  noun: string;
  plural: string;
  /** Of its table. */
  name: string;
  fields: Record<string, Field>;
  visible?: (caller: Caller) => SQL;
}

const byTable = new Map<string, Registered>();

export function register(resource: Registered): void {
  byTable.set(resource.name, resource);
}

export function registered(table: string): Registered | undefined {
  return byTable.get(table);
}

/** The resources with columns that refer to this table, by noun. */
export function referringTo(table: string): Array<{ by: Registered; columns: string[] }> {
  return [...byTable.values()]
    .map((by) => ({ by, columns: columnsTo(table, by) }))
    .filter(({ columns }) => columns.length > 0)
    .toSorted((one, other) => (one.by.noun < other.by.noun ? -1 : 1));
}

function columnsTo(table: string, { fields }: Registered): string[] {
  return Object.entries(fields).flatMap(([name, { refersTo, column }]) =>
    refersTo?.table === table && column ? [column(name)] : [],
  );
}
