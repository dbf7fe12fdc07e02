import { bigint, boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, id, longId, time } from "./columns.ts";

export const notice_settings = pgTable("notice_settings", {
  user_id: integer("user_id").primaryKey(),
  digest_hour: integer("digest_hour").notNull().default(6),
  own_changes: boolean("own_changes").notNull().default(false),
  unconfirmed: text("unconfirmed"),
  feed_hash: bytes("feed_hash"),
  mail_at: time("mail_at"),
  digest_at: time("digest_at"),
});

export const watches = pgTable("watches", {
  id: id(),
  user_id: integer("user_id").notNull(),
  table_name: text("table_name").notNull(),
  row_id: integer("row_id"),
  search_id: integer("search_id"),
  name: text("name").notNull(),
  mail: text("mail").$type<"at_once" | "daily" | "none">().notNull(),
  mailed_up_to: bigint("mailed_up_to", { mode: "number" }).notNull(),
  created_at: time("created_at").notNull().defaultNow(),
});

export const mails = pgTable("mails", {
  id: longId(),
  user_id: integer("user_id").notNull(),
  kind: text("kind").$type<"changes" | "confirmation" | "test">().notNull(),
  changes: bigint("changes", { mode: "number" }).array().notNull().default([]),
  watches: integer("watches").array().notNull().default([]),
  message: uuid("message").notNull().defaultRandom(),
  status: text("status")
    .$type<"waiting" | "sent" | "failed" | "dropped">()
    .notNull()
    .default("waiting"),
  attempts: integer("attempts").notNull().default(0),
  next_at: time("next_at").notNull().defaultNow(),
  trouble: text("trouble"),
  created_at: time("created_at").notNull().defaultNow(),
  finished_at: time("finished_at"),
});

export const notice_reader = pgTable("notice_reader", {
  only_row: boolean("only_row").primaryKey().default(true),
  looked_up_to: bigint("looked_up_to", { mode: "number" }).notNull(),
  holder: uuid("holder").notNull(),
  held_until: time("held_until").notNull(),
});
