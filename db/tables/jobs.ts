import { integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { bytes, id, time } from "./columns.ts";

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
  hosts: integer("hosts").array().notNull().default([]),
  created_at: time("created_at").notNull().defaultNow(),
  finished_at: time("finished_at"),
});

export const job_parts = pgTable(
  "job_parts",
  {
    job_id: integer("job_id").notNull(),
    attempt: smallint("attempt").notNull(),
    part: integer("part").notNull(),
    bytes: bytes("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.job_id, table.attempt, table.part] })],
);
