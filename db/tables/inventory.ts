import {
  bigint,
  boolean,
  integer,
  jsonb,
  macaddr,
  pgTable,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { id, time, tracked } from "./columns.ts";

function attributeTable<Name extends string>(name: Name) {
  return pgTable(name, attributeColumns());
}

function attributeColumns() {
  return {
    id: id(),
    name: text("name").notNull(),
    description: text("description"),
    qrcode: text("qrcode").notNull(),
    ...tracked(),
  };
}

export const actions = attributeTable("actions");
export const manufacturers = attributeTable("manufacturers");
export const models = pgTable("models", {
  ...attributeColumns(),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});
export const locations = pgTable("locations", {
  ...attributeColumns(),
  parent_id: integer("parent_id"),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});
export const statuses = pgTable("statuses", {
  ...attributeColumns(),
  colour: text("colour"),
});

export const favorites = pgTable("favorites", {
  id: id(),
  user_id: integer("user_id").notNull(),
  action_id: integer("action_id"),
  manufacturer_id: integer("manufacturer_id"),
  model_id: integer("model_id"),
  location_id: integer("location_id"),
  status_id: integer("status_id"),
});

export const imports = pgTable("imports", {
  id: id(),
  kind: text("kind").$type<"items" | "hosts">().notNull().default("items"),
  user_id: integer("user_id").notNull(),
  file_name: text("file_name").notNull(),
  columns: text("columns").array().notNull(),
  rows: jsonb("rows").notNull(),
  state: integer("state").notNull().default(1),
  applied_state: integer("applied_state"),
  change_set: bigint("change_set", { mode: "number" }),
  verdicts: text("verdicts"),
  checked_state: integer("checked_state"),
  created_at: time("created_at").notNull().defaultNow(),
});

export const items = pgTable("items", {
  id: id(),
  ics_id: text("ics_id").notNull(),
  serial_number: text("serial_number").notNull(),
  quantity: integer("quantity").notNull().default(1),
  manufacturer_id: integer("manufacturer_id"),
  model_id: integer("model_id"),
  location_id: integer("location_id"),
  status_id: integer("status_id"),
  parent_id: integer("parent_id"),
  host_id: integer("host_id"),
  stack_member: smallint("stack_member"),
  /** Changes that only admins and auditors may see; the database counts them. */
  unseen: integer("unseen").notNull().default(0),
  ...tracked(),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});

export const comments = pgTable("comments", {
  id: id(),
  item_id: integer("item_id").notNull(),
  body: text("body").notNull(),
  ...tracked(),
});

export const macs = pgTable("macs", {
  id: id(),
  address: macaddr("address").notNull(),
  item_id: integer("item_id"),
  ...tracked(),
});

function texts(name: string) {
  return text(name).array().notNull().default([]);
}

/** What a site records of its own; the values are in the columns `site`. */
export const site_fields = pgTable("site_fields", {
  id: id(),
  // A trigger sets it: item.rp_class.
  name: text("name").notNull().default(""),
  record: text("record").notNull(),
  key: text("key").notNull(),
  label: text("label").notNull(),
  help: text("help"),
  type: text("type").notNull(),
  unit: text("unit"),
  choices: texts("choices"),
  references: text("references"),
  required: boolean("required").notNull().default(false),
  default: text("default"),
  models: texts("models"),
  group: text("group"),
  position: integer("position").notNull().default(100),
  editors: texts("editors"),
  visible_to: texts("visible_to"),
  variable: text("variable"),
  ...tracked(),
});
