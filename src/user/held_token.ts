// A personal token as admins see it: whose it is, and from where it was last used. Never the token itself.
import { sql } from "drizzle-orm";
import { tokens } from "../../db/tables/user.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";
import { token } from "./token.ts";

const { description, read_only, limits, networks, scopes, created_at, expires_at, last_used_at } =
  token.fields;
const { rotated_at, overlap_until } = token.fields;

export const heldToken = resource({
  noun: "token",
  path: "/admin/tokens",
  table: tokens,
  key: "description",
  editors: [],
  order: sql`tokens.created_at desc`,
  version: () => sql`1`,
  fields: {
    owner: fields.byUser({ label: "Owner", key: "user_id", description: "Whose it is" }),
    description,
    read_only,
    limits,
    networks,
    scopes,
    created_at,
    expires_at,
    last_used_at,
    last_used_from: fields.text({ label: "Used from", nullable: true, search: "keyword" }),
    rotated_at,
    overlap_until,
  },
  internal: [
    "user_id",
    "kind",
    "key",
    "secret_hash",
    "last_used_at",
    "revoked_at",
    "rotation",
    "rotated_at",
    "previous_hash",
    "previous_until",
  ],
});

export type HeldToken = RowOf<typeof heldToken>;
