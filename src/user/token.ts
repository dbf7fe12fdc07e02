// The resource `token`: a personal token. The token itself is shown once, and only its hash is stored.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { tokens } from "../../db/tables/user.ts";
import { line, nullable, TRUE_OR_FALSE } from "../input/shape.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";

const END = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2})?$",
  description: "Use a future date such as 2030-12-31 or 2030-12-31 18:00 (UTC), or null for never",
});

export const token = resource({
  noun: "token",
  path: "/user/tokens",
  table: tokens,
  key: "description",
  // Users manage their own tokens: see src/api/user/tokens.ts.
  editors: [],
  order: sql`tokens.created_at`,
  version: () => sql`1`,
  fields: {
    description: fields.text({ label: "Description", input: nullable(line(200)) }),
    read_only: fields.boolean({ label: "Read only", input: TRUE_OR_FALSE }),
    created_at: fields.time({ label: "Created" }),
    expires_at: fields.time({ label: "Expires", input: nullable(END) }),
    last_used_at: fields.derived<string | null>({
      label: "Last used",
      kind: "time",
      value: sql`tokens.last_used_at`,
      nullable: true,
    }),
  },
});

export type Token = RowOf<typeof token>;
