import { bigint, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { longId, time } from "./columns.ts";

export const change_sets = pgTable("change_sets", {
  id: longId(),
  at: time("at").notNull().defaultNow(),
  user_id: integer("user_id"),
  request_id: text("request_id"),
  undoes: bigint("undoes", { mode: "number" }),
});

export const changes = pgTable("changes", {
  id: longId(),
  change_set: bigint("change_set", { mode: "number" }).notNull(),
  at: time("at").notNull().defaultNow(),
  user_id: integer("user_id"),
  table_name: text("table_name").notNull(),
  row_id: integer("row_id").notNull(),
  action: text("action").$type<"insert" | "update" | "delete">().notNull(),
  before: jsonb("before"),
  after: jsonb("after"),
});

/** Rows that belonged to another row by a column, and do not any more. */
export const former_parts = pgTable(
  "former_parts",
  {
    table_name: text("table_name").notNull(),
    key: text("key").notNull(),
    owner_id: integer("owner_id").notNull(),
    row_id: integer("row_id").notNull(),
  },
  ({ table_name, key, owner_id, row_id }) => [
    primaryKey({ columns: [table_name, key, owner_id, row_id] }),
  ],
);

/** Names that records had before they were renamed or deleted, in lower case. */
export const former_names = pgTable("former_names", {
  name: text("name").notNull(),
  table_name: text("table_name").notNull(),
  row_id: integer("row_id").notNull(),
  change_id: bigint("change_id", { mode: "number" }).notNull(),
});
