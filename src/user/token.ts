// The resource `token`: a personal token. The token itself is shown once, and only its hash is stored.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { tokens } from "../../db/tables/user.ts";
import { LIMIT_NAMES } from "../auth/token_limits.ts";
import { LONGEST_TOKEN_OVERLAP, MOST_TOKEN_NETWORKS } from "../input/limits.ts";
import { line, nullable, TRUE_OR_FALSE } from "../input/shape.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";

const END = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2})?$",
  description: "Use a future date such as 2030-12-31 or 2030-12-31 18:00 (UTC), or null for never",
});

const limitRule = { description: `Use any of ${LIMIT_NAMES.join(", ")}, each once` };
const LIMIT_LIST = Type.Array(
  Type.Union(
    LIMIT_NAMES.map((limit) => Type.Literal(limit)),
    limitRule,
  ),
  { maxItems: LIMIT_NAMES.length, uniqueItems: true, ...limitRule },
);
const networkRule = {
  description: `Use at most ${MOST_TOKEN_NETWORKS} addresses or blocks such as 192.0.2.7 or 10.0.0.0/24`,
};
const NETWORK_LIST = Type.Array(
  Type.String({ format: "address-or-block", maxLength: 49, ...networkRule }),
  { maxItems: MOST_TOKEN_NETWORKS, ...networkRule },
);

const SCOPE_LIST = Type.Array(line(100), {
  maxItems: MOST_TOKEN_NETWORKS,
  uniqueItems: true,
  description: "Use a list of names of scopes",
});

/** Names of scopes. A scope that was deleted is still a limit. */
export const SCOPE_NAMES = sql`(
  select coalesce(array_agg(coalesce(scopes.name::text, '(deleted)') order by scopes.name), '{}')
  from unnest(tokens.scope_ids) scope_id left join scopes on scopes.id = scope_id)`;

function scopes() {
  return {
    ...fields.list({ label: "Scopes", input: SCOPE_LIST }),
    column: () => "scope_ids",
    query: ({ name }: fields.FieldContext) => ({
      [name]: { kind: "list" as const, column: SCOPE_NAMES },
    }),
    sources: () => [],
  };
}

/** Minutes that the former secret is still valid after a rotation. */
export const DEFAULT_OVERLAP = 24 * 60;
export const OVERLAP = Type.Integer({
  minimum: 0,
  maximum: LONGEST_TOKEN_OVERLAP,
  description: `Use the minutes that the former secret stays valid, from 0 to ${LONGEST_TOKEN_OVERLAP}`,
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
    limits: fields.list({ label: "Limited to", input: LIMIT_LIST }),
    networks: fields.list({ label: "Networks", input: NETWORK_LIST }),
    scopes: scopes(),
    created_at: fields.time({ label: "Created" }),
    expires_at: fields.time({ label: "Expires", input: nullable(END) }),
    last_used_at: fields.derived<string | null>({
      label: "Last used",
      kind: "time",
      value: sql`tokens.last_used_at`,
      nullable: true,
    }),
    rotated_at: fields.derived<string | null>({
      label: "Rotated",
      kind: "time",
      value: sql`tokens.rotated_at`,
      nullable: true,
    }),
    overlap_until: fields.derived<string | null>({
      label: "Former secret until",
      kind: "time",
      value: sql`case when tokens.previous_until > now() then tokens.previous_until end`,
      nullable: true,
    }),
  },
});

export type Token = RowOf<typeof token>;
