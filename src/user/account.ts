// A user as admins see it: also deactivated ones, and when they were last seen. The resource `user` is for everybody.
import { sql } from "drizzle-orm";
import { users } from "../../db/tables/user.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";
import { user } from "./user.ts";

const { username, display_name, email, groups } = user.fields;

export const account = resource({
  noun: "user",
  path: "/admin/users",
  table: users,
  key: "username",
  editors: ["admin"],
  order: sql`users.username`,
  fields: {
    username,
    display_name,
    groups,
    email,
    state: fields.derived<"active" | "deactivated">({
      label: "State",
      kind: "label",
      value: sql`case when users.deactivated_at is null then 'active' else 'deactivated' end`,
    }),
    is_break_glass: fields.boolean({ label: "Break-glass account" }),
    is_service: fields.boolean({ label: "Service account" }),
    provider: fields.derived<string | null>({
      label: "Logs in by",
      kind: "text",
      value: sql`(
        select identity_providers.name from identities
        join identity_providers on identity_providers.id = provider_id
        where identities.user_id = users.id order by identities.id limit 1)`,
      nullable: true,
    }),
    last_seen: fields.derived<string | null>({
      label: "Last seen",
      kind: "time",
      value: sql`greatest(
        (select at from user_activity where user_id = users.id),
        (select max(at) from login_addresses where user_id = users.id))`,
      nullable: true,
    }),
    last_seen_from: fields.derived<string | null>({
      label: "Seen from",
      kind: "text",
      value: sql`(select address from user_activity where user_id = users.id)`,
      nullable: true,
    }),
    sessions: fields.derived<number>({
      label: "Sessions",
      kind: "integer",
      value: sql`(
        select count(*)::int from sessions where user_id = users.id and expires_at > now()
          and last_seen_at > now() - interval '2 hours')`,
    }),
    tokens: fields.derived<number>({
      label: "Tokens",
      kind: "integer",
      value: sql`(
        select count(*)::int from tokens where user_id = users.id and kind = 'personal' and revoked_at is null
          and (expires_at is null or expires_at > now()))`,
    }),
    passkeys: fields.derived<number>({
      label: "Passkeys",
      kind: "integer",
      value: sql`(select count(*)::int from passkeys where user_id = users.id)`,
    }),
    user: fields.derived<string | null>({
      label: "Changed by",
      kind: "name",
      value: sql`(select author.username from users author where author.id = users.updated_by)`,
      nullable: true,
    }),
    created_at: fields.time({ label: "Created" }),
    updated_at: fields.time({ label: "Updated" }),
  },
  search: user.search ?? {},
});

export type Account = RowOf<typeof account>;
