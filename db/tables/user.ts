import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, id, longId, time, tracked } from "./columns.ts";

export const settings = pgTable("settings", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

export const backups = pgTable("backups", {
  at: time("at").primaryKey().defaultNow(),
  file: text("file"),
  destination: text("destination"),
  result: text("result")
    .$type<"started" | "written" | "unproven" | "good" | "failed">()
    .notNull()
    .default("written"),
  message: text("message"),
  finished_at: time("finished_at"),
  lease_until: time("lease_until"),
});

export const users = pgTable("users", {
  id: id(),
  username: text("username").notNull(),
  display_name: text("display_name"),
  email: text("email"),
  password_hash: text("password_hash"),
  groups: text("groups").array().notNull().default([]),
  deactivated_at: time("deactivated_at"),
  is_break_glass: boolean("is_break_glass").notNull().default(false),
  is_service: boolean("is_service").notNull().default(false),
  ...tracked(),
});

export const identity_providers = pgTable("identity_providers", {
  id: id(),
  key: text("key").notNull(),
  name: text("name").notNull(),
  kind: text("kind").$type<"oidc" | "ldap">().notNull(),
  settings: jsonb("settings").notNull().default({}),
  /** Encrypted: see src/auth/sealed.ts. */
  secret: text("secret"),
  is_enabled: boolean("is_enabled").notNull().default(false),
  from_environment: boolean("from_environment").notNull().default(false),
  updated_at: time("updated_at").notNull().defaultNow(),
});

export const identities = pgTable("identities", {
  id: id(),
  provider_id: integer("provider_id").notNull(),
  user_id: integer("user_id").notNull(),
  authority: text("authority").notNull(),
  subject: text("subject").notNull(),
  groups: text("groups").array().notNull().default([]),
  created_at: time("created_at").notNull().defaultNow(),
  checked_at: time("checked_at").notNull().defaultNow(),
  confirmed_at: time("confirmed_at").notNull().defaultNow(),
  gone_at: time("gone_at"),
});

export const group_mappings = pgTable("group_mappings", {
  id: id(),
  provider_id: integer("provider_id").notNull(),
  outer_group: text("outer_group").notNull(),
  is_pattern: boolean("is_pattern").notNull().default(false),
  inner_group: text("inner_group").$type<"admin" | "auditor" | "inventory" | "network">().notNull(),
});

export const right_mappings = pgTable("right_mappings", {
  id: id(),
  provider_id: integer("provider_id").notNull(),
  outer_group: text("outer_group").notNull(),
  is_pattern: boolean("is_pattern").notNull().default(false),
  ...placedRight(),
});

/** A right, and the one place where it holds. */
function placedRight() {
  return {
    kind: text("kind").$type<"network" | "inventory" | "sensitive">().notNull(),
    scope_id: integer("scope_id"),
    location_id: integer("location_id"),
    network_id: integer("network_id"),
  };
}

export const user_rights = pgTable("user_rights", {
  id: id(),
  user_id: integer("user_id").notNull(),
  ...placedRight(),
  provider_id: integer("provider_id"),
  given_at: time("given_at").notNull().defaultNow(),
  given_by: integer("given_by"),
});

export const sessions = pgTable("sessions", {
  id: longId(),
  user_id: integer("user_id").notNull(),
  secret_hash: bytes("secret_hash").notNull(),
  address: text("address"),
  created_at: time("created_at").notNull().defaultNow(),
  last_seen_at: time("last_seen_at").notNull().defaultNow(),
  expires_at: time("expires_at").notNull(),
});

export const passkeys = pgTable("passkeys", {
  id: id(),
  user_id: integer("user_id").notNull(),
  name: text("name").notNull(),
  rp_id: text("rp_id").notNull(),
  user_handle: bytes("user_handle").notNull(),
  credential_id: bytes("credential_id").notNull(),
  public_key: bytes("public_key").notNull(),
  sign_count: bigint("sign_count", { mode: "number" }).notNull().default(0),
  transports: text("transports").array().notNull().default([]),
  created_at: time("created_at").notNull().defaultNow(),
  last_used_at: time("last_used_at"),
});

export const recovery_codes = pgTable(
  "recovery_codes",
  {
    user_id: integer("user_id").notNull(),
    code_hash: bytes("code_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.code_hash] })],
);

export const used_challenges = pgTable("used_challenges", {
  challenge_hash: bytes("challenge_hash").primaryKey(),
  used_at: time("used_at").notNull().defaultNow(),
});

export const tokens = pgTable("tokens", {
  id: id(),
  user_id: integer("user_id").notNull(),
  kind: text("kind").$type<"login" | "personal">().notNull(),
  key: text("key").notNull(),
  secret_hash: bytes("secret_hash"),
  description: text("description"),
  read_only: boolean("read_only").notNull().default(false),
  created_at: time("created_at").notNull().defaultNow(),
  expires_at: time("expires_at"),
  last_used_at: time("last_used_at"),
  last_used_from: text("last_used_from"),
  revoked_at: time("revoked_at"),
  limits: text("limits").array().notNull().default([]),
  networks: text("networks").array().notNull().default([]),
  scope_ids: integer("scope_ids").array().notNull().default([]),
  rotation: integer("rotation").notNull().default(0),
  rotated_at: time("rotated_at"),
  previous_hash: bytes("previous_hash"),
  previous_until: time("previous_until"),
});

export const user_activity = pgTable("user_activity", {
  user_id: integer("user_id").primaryKey(),
  at: time("at").notNull().defaultNow(),
  address: text("address"),
});

export const login_failures = pgTable("login_failures", {
  id: longId(),
  username: text("username").notNull(),
  address: text("address").notNull(),
  at: time("at").notNull().defaultNow(),
});

export const login_addresses = pgTable(
  "login_addresses",
  {
    user_id: integer("user_id").notNull(),
    address: text("address").notNull(),
    at: time("at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.address] })],
);

export const idempotency_keys = pgTable(
  "idempotency_keys",
  {
    user_id: integer("user_id").notNull(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    answer: text("answer"),
    change_set: bigint("change_set", { mode: "number" }),
    created_at: time("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.key] })],
);

export const searches = pgTable("searches", {
  id: id(),
  user_id: integer("user_id").notNull(),
  list: text("list").notNull(),
  name: text("name").notNull(),
  query: text("query").notNull(),
  shared: boolean("shared").notNull().default(false),
});

export const list_columns = pgTable(
  "list_columns",
  {
    user_id: integer("user_id").notNull(),
    list: text("list").notNull(),
    columns: text("columns").array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.list] })],
);

export const closed_cards = pgTable(
  "closed_cards",
  {
    user_id: integer("user_id").notNull(),
    name: text("name").notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.name] })],
);
