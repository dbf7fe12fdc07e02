import { integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { id, time } from "./columns.ts";

export const audit_log = pgTable("audit_log", {
  id: id(),
  at: time("at").notNull().defaultNow(),
  event: text("event").notNull(),
  user_id: integer("user_id"),
  username: text("username"),
  address: text("address"),
  request_id: text("request_id"),
  details: jsonb("details").notNull().default({}),
  target: text("target"),
  /** Above 1 where the entry stands for several events, the last of them at `last_at`. */
  count: integer("count").notNull().default(1),
  last_at: time("last_at"),
});

/** Of logs, whose entries are hardly ever changed or deleted: another one whenever that happens. */
export const editions = pgTable("editions", {
  table_name: text("table_name").primaryKey(),
  edition: uuid("edition").notNull().defaultRandom(),
});
