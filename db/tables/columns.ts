import { bigint, customType, integer, timestamp } from "drizzle-orm/pg-core";

/** The one column type for times. */
export function time(name: string) {
  return timestamp(name, { withTimezone: true, mode: "date" });
}

export function id() {
  return integer("id").generatedByDefaultAsIdentity().primaryKey();
}

/** For tables that grow by thousands of rows and are not edited. */
export function longId() {
  return bigint("id", { mode: "number" }).generatedByDefaultAsIdentity().primaryKey();
}

/** What the database stamps on every table that people edit. */
export function tracked() {
  return {
    version: integer("version").notNull().default(1),
    created_at: time("created_at").notNull().defaultNow(),
    updated_at: time("updated_at").notNull().defaultNow(),
    created_by: integer("created_by"),
    updated_by: integer("updated_by"),
  };
}

/** Those columns, and the count of hidden changes: no change by a person. */
export const STAMP_COLUMNS = [...Object.keys(tracked()), "unseen"];

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
