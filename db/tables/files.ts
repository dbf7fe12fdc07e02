import { boolean, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, id, time, tracked } from "./columns.ts";

export const files = pgTable("files", {
  id: id(),
  item_id: integer("item_id"),
  model_id: integer("model_id"),
  location_id: integer("location_id"),
  host_id: integer("host_id"),
  network_id: integer("network_id"),
  name: text("name").notNull(),
  type: text("type").notNull(),
  size: integer("size").notNull(),
  sha256: text("sha256").notNull(),
  is_plain: boolean("is_plain").notNull(),
  small: text("small"),
  summary: text("summary"),
  caption: text("caption"),
  is_picture: boolean("is_picture").notNull().default(false),
  position: integer("position").notNull(),
  ...tracked(),
});

export const file_blobs = pgTable("file_blobs", {
  sha256: text("sha256").primaryKey(),
  size: integer("size").notNull(),
  sent_by: integer("sent_by"),
  sent_at: time("sent_at").notNull().defaultNow(),
  unused_since: time("unused_since").defaultNow(),
});

/** Bytes of each part but the last. */
export const PART_SIZE = 256 * 1024;

export const file_parts = pgTable(
  "file_parts",
  {
    sha256: text("sha256").notNull(),
    part: integer("part").notNull(),
    bytes: bytes("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sha256, table.part] })],
);

export const file_objects = pgTable("file_objects", {
  name: text("name").primaryKey(),
  sha256: text("sha256"),
  unused_since: time("unused_since").defaultNow(),
});
