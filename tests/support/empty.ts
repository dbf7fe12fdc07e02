import type { SQL } from "bun";
import { cast } from "./cast.ts";

/** In the order that references allow. Deleting few rows is far cheaper than truncating many tables. */
export const EMPTIED = [
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
  "change_sets",
  "group_mappings",
  "identities",
  "identity_providers",
  "users",
];
/** The tables with rows of a new installation. Only added rows are deleted. */
export const SEEDED = ["actions", "device_types"];
export const KEPT = ["migrations", "settings", "backups"];

export interface Member {
  id: number;
  username: string;
  /** The jti of a login token. */
  jti: string;
}

/** Empties the database except for the rows of a new installation, and adds the cast, each with a token. */
export async function empty(sql: SQL, passwordHash: string): Promise<Member[]> {
  const people = cast.map(
    ({ username, groups }) => `('${username}', '${passwordHash}', '{${groups.join(",")}}'::text[])`,
  );
  const results = await sql.unsafe(`
    ${SEEDED.map((table) => `delete from ${table} where created_by is not null;`).join("\n")}
    ${SEEDED.map((table) => `update ${table} set updated_by = null where updated_by is not null;`).join("\n")}
    ${EMPTIED.map((table) => `delete from ${table};`).join("\n")}
    insert into users (username, password_hash, groups) values ${people.join(", ")};
    insert into tokens (user_id, kind, key, expires_at)
      select id, 'login', gen_random_uuid(), now() + interval '12 hours' from users;
    delete from changes;
    select users.id, users.username, tokens.key as jti from users join tokens on tokens.user_id = users.id;`);
  return results.at(-1);
}
