import { integer, jsonb, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { id, time } from "./columns.ts";

export const jobs = pgTable("jobs", {
  id: id(),
  user_id: integer("user_id").notNull(),
  name: text("name").notNull(),
  arguments: jsonb("arguments").notNull().default({}),
  status: text("status")
    .$type<"queued" | "started" | "finished" | "failed">()
    .notNull()
    .default("queued"),
  progress: smallint("progress").notNull().default(0),
  message: text("message"),
  result: text("result"),
  attempts: smallint("attempts").notNull().default(0),
  lease_until: time("lease_until"),
  created_at: time("created_at").notNull().defaultNow(),
  finished_at: time("finished_at"),
});
