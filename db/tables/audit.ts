import { integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { longId, time } from "./columns.ts";

export const audit_log = pgTable("audit_log", {
  id: longId(),
  at: time("at").notNull().defaultNow(),
  event: text("event").notNull(),
  user_id: integer("user_id"),
  username: text("username"),
  address: text("address"),
  request_id: text("request_id"),
  details: jsonb("details").notNull().default({}),
});
