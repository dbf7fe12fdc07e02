import { bigint, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
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
