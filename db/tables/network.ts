import {
  bigint,
  boolean,
  cidr,
  inet,
  integer,
  jsonb,
  macaddr,
  numeric,
  pgTable,
  text,
} from "drizzle-orm/pg-core";
import { id, time, tracked } from "./columns.ts";

export const domains = pgTable("domains", { id: id(), name: text("name").notNull(), ...tracked() });

export const device_types = pgTable("device_types", {
  id: id(),
  name: text("name").notNull(),
  ...tracked(),
});

export const scopes = pgTable("scopes", {
  id: id(),
  name: text("name").notNull(),
  description: text("description"),
  first_vlan: integer("first_vlan").notNull(),
  last_vlan: integer("last_vlan").notNull(),
  supernet: cidr("supernet").notNull(),
  domain_id: integer("domain_id").notNull(),
  ...tracked(),
  tags: text("tags").array().notNull().default([]),
});

export const networks = pgTable("networks", {
  id: id(),
  vlan_name: text("vlan_name").notNull(),
  vlan_id: integer("vlan_id").notNull(),
  address: cidr("address").notNull(),
  first_ip: inet("first_ip").notNull(),
  last_ip: inet("last_ip").notNull(),
  gateway: inet("gateway"),
  description: text("description"),
  admin_only: boolean("admin_only").notNull().default(false),
  sensitive: boolean("sensitive").notNull().default(false),
  scope_id: integer("scope_id").notNull(),
  domain_id: integer("domain_id").notNull(),
  ...tracked(),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});

export const hosts = pgTable("hosts", {
  id: id(),
  name: text("name").notNull(),
  description: text("description"),
  is_ioc: boolean("is_ioc").notNull().default(false),
  device_type_id: integer("device_type_id").notNull(),
  automation_vars: jsonb("automation_vars").notNull().default({}),
  ...tracked(),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});

export const full_names = pgTable("full_names", {
  host_id: integer("host_id").primaryKey(),
  name: text("name").notNull(),
});

export const host_variables = pgTable("host_variables", {
  host_id: integer("host_id").notNull(),
  path: text("path").notNull(),
  text: text("text"),
  number: numeric("number"),
  truth: boolean("truth"),
});

/** The free addresses of networks, as ranges; kept by triggers. */
export const free_addresses = pgTable("free_addresses", {
  network_id: integer("network_id").notNull(),
  first: inet("first").notNull(),
  last: inet("last").notNull(),
});

export const interfaces = pgTable("interfaces", {
  id: id(),
  host_id: integer("host_id").notNull(),
  network_id: integer("network_id").notNull(),
  name: text("name").notNull(),
  ip: inet("ip").notNull(),
  mac: macaddr("mac"),
  description: text("description"),
  ...tracked(),
  tags: text("tags").array().notNull().default([]),
  site: jsonb("site").$type<Record<string, unknown>>().notNull().default({}),
});

export const cnames = pgTable("cnames", {
  id: id(),
  name: text("name").notNull(),
  interface_id: integer("interface_id").notNull(),
  ...tracked(),
});

export const groups = pgTable("groups", {
  id: id(),
  name: text("name").notNull(),
  type: text("type").$type<"static" | "query">().notNull().default("static"),
  query: text("query"),
  vars: jsonb("vars").notNull().default({}),
  /** Changes that only admins and auditors may see. */
  unseen: integer("unseen").notNull().default(0),
  ...tracked(),
});

export const group_hosts = pgTable("group_hosts", {
  id: id(),
  group_id: integer("group_id").notNull(),
  host_id: integer("host_id").notNull(),
});

export const group_children = pgTable("group_children", {
  id: id(),
  parent_id: integer("parent_id").notNull(),
  child_id: integer("child_id").notNull(),
});

export const feeds = pgTable("feeds", {
  asked: text("asked").primaryKey(),
  state: text("state").notNull(),
  settled: bigint("settled", { mode: "number" }),
  tag: text("tag").notNull(),
  serial: bigint("serial", { mode: "number" }).notNull(),
  changed_at: time("changed_at").notNull().defaultNow(),
  asked_at: time("asked_at").notNull().defaultNow(),
});
