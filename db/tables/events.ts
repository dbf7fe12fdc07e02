import {
  bigint,
  boolean,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { id, longId, time } from "./columns.ts";

export const subscriptions = pgTable("subscriptions", {
  id: id(),
  kind: text("kind").$type<"webhook" | "trigger">().notNull(),
  name: text("name").notNull(),
  owner_id: integer("owner_id").notNull(),
  url: text("url").notNull(),
  filters: jsonb("filters").notNull().default({}),
  settings: jsonb("settings").notNull().default({}),
  secrets: text("secrets"),
  is_active: boolean("is_active").notNull().default(true),
  trouble: text("trouble"),
  revision: integer("revision").notNull().default(1),
  created_at: time("created_at").notNull().defaultNow(),
  updated_at: time("updated_at").notNull().defaultNow(),
  lease_until: time("lease_until"),
  lease_by: uuid("lease_by"),
});

export const deliveries = pgTable("deliveries", {
  id: longId(),
  subscription_id: integer("subscription_id").notNull(),
  change_set: bigint("change_set", { mode: "number" }),
  message: uuid("message").notNull().defaultRandom(),
  status: text("status").$type<"waiting" | "delivered" | "failed">().notNull().default("waiting"),
  attempts: integer("attempts").notNull().default(0),
  next_at: time("next_at").notNull().defaultNow(),
  created_at: time("created_at").notNull().defaultNow(),
  finished_at: time("finished_at"),
  lease_until: time("lease_until"),
  lease_by: uuid("lease_by"),
  is_manual: boolean("is_manual").notNull().default(false),
});

export const delivery_attempts = pgTable("delivery_attempts", {
  id: longId(),
  delivery_id: bigint("delivery_id", { mode: "number" }).notNull(),
  at: time("at").notNull().defaultNow(),
  milliseconds: integer("milliseconds").notNull(),
  status: integer("status"),
  problem: text("problem"),
  url: text("url").notNull(),
  request_headers: jsonb("request_headers").notNull().default({}),
  request_body: text("request_body").notNull(),
  answer_headers: jsonb("answer_headers").notNull().default({}),
  answer_body: text("answer_body").notNull().default(""),
});

export const RUN_STATUSES = [
  "waiting",
  "launching",
  "started",
  "succeeded",
  "failed",
  "gave_up",
  "skipped",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const trigger_runs = pgTable("trigger_runs", {
  id: longId(),
  subscription_id: integer("subscription_id").notNull(),
  status: text("status").$type<RunStatus>().notNull().default("waiting"),
  changes: integer("changes").notNull().default(0),
  change_sets: bigint("change_sets", { mode: "number" }).array().notNull().default([]),
  hosts: integer("hosts").array().notNull().default([]),
  groups: integer("groups").array().notNull().default([]),
  networks: integer("networks").array().notNull().default([]),
  kinds: text("kinds").array().notNull().default([]),
  is_test: boolean("is_test").notNull().default(false),
  job: text("job"),
  url: text("url"),
  message: text("message"),
  detail: text("detail"),
  attempts: integer("attempts").notNull().default(0),
  next_at: time("next_at").notNull().defaultNow(),
  created_at: time("created_at").notNull().defaultNow(),
  started_at: time("started_at"),
  finished_at: time("finished_at"),
});

export const trigger_results = pgTable(
  "trigger_results",
  {
    host_id: integer("host_id").notNull(),
    subscription_id: integer("subscription_id").notNull(),
    run_id: bigint("run_id", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.host_id, table.subscription_id] })],
);
