import type { SQL } from "bun";
import { cast } from "./cast.ts";

/** In the order that references allow. Deleting few rows is far cheaper than truncating many tables. */
export const EMPTIED = [
  "mails",
  "watches",
  "notice_settings",
  "idempotency_keys",
  "audit_log",
  "login_failures",
  "login_addresses",
  "user_activity",
  "sessions",
  "passkeys",
  "recovery_codes",
  "used_challenges",
  "tokens",
  "favorites",
  "searches",
  "list_columns",
  "imports",
  "job_parts",
  "jobs",
  "user_rights",
  "right_mappings",
  "comments",
  "macs",
  "items",
  "manufacturers",
  "models",
  "locations",
  "statuses",
  "feeds",
  "group_children",
  "group_hosts",
  "groups",
  "cnames",
  "interfaces",
  "full_names",
  "host_variables",
  "hosts",
  "free_addresses",
  "networks",
  "scopes",
  "domains",
  "trigger_results",
  "trigger_runs",
  "delivery_attempts",
  "deliveries",
  "subscriptions",
  "change_sets",
  "group_mappings",
  "identities",
  "identity_providers",
  "users",
];
/** The tables with rows of a new installation. Only added rows are deleted. */
export const SEEDED = ["actions", "device_types"];
export const KEPT = ["migrations", "settings", "backups", "notice_reader"];

export interface Member {
  id: number;
  username: string;
  /** The jti of a login token. */
  jti: string;
}

/** Makes the function that empties this database: its statements are planned once. */
export async function prepareEmptying(sql: SQL, passwordHash: string): Promise<void> {
  const people = cast.map(
    ({ username, groups }) => `('${username}', '${passwordHash}', '{${groups.join(",")}}'::text[])`,
  );
  await sql.unsafe(`
    create schema testing;
    create function testing.empty() returns setof json language plpgsql as $$
    begin
      ${SEEDED.map((table) => `delete from ${table} where created_by is not null;`).join("\n")}
      ${SEEDED.map((table) => `update ${table} set updated_by = null where updated_by is not null;`).join("\n")}
      ${EMPTIED.map((table) => `delete from ${table};`).join("\n")}
      insert into users (username, password_hash, groups) values ${people.join(", ")};
      insert into tokens (user_id, kind, key, expires_at)
        select id, 'login', gen_random_uuid(), now() + interval '12 hours' from users;
      delete from changes;
      return query select json_build_object('id', users.id, 'username', users.username, 'jti', tokens.key)
        from users join tokens on tokens.user_id = users.id;
    end
    $$`);
}

/** Empties the database except for the rows of a new installation, and adds the cast, each with a token. */
export async function empty(sql: SQL): Promise<Member[]> {
  const rows = await sql.unsafe("select * from testing.empty() as member");
  return rows.map(({ member }: { member: Member }) => member);
}
