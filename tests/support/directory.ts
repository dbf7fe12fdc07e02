// An enabled directory for the login, in the database of the tests.
import { seal } from "../../src/auth/sealed.ts";
import { service } from "./service.ts";
import { PEOPLE, READER } from "./slapd.ts";

interface Options {
  is_enabled?: boolean;
  key?: string;
}

export async function aDirectory(
  settings: Record<string, unknown>,
  mappings: Record<string, string> = {},
  { is_enabled = true, key = "directory" }: Options = {},
): Promise<void> {
  const { sql } = await service();
  const all = { base: PEOPLE, bind_dn: READER.dn, needs_group: false, ...settings };
  const [{ id }] = await sql`
    insert into identity_providers (key, name, kind, settings, secret, is_enabled)
    values (${key}, ${key === "directory" ? "Directory" : key}, 'ldap', ${JSON.stringify(all)}::text::jsonb,
      ${seal(READER.password, "provider")}, ${is_enabled}) returning id`;
  for (const [outer, inner] of Object.entries(mappings)) {
    await sql`
      insert into group_mappings (provider_id, outer_group, is_pattern, inner_group)
      values (${id}, ${outer}, ${outer.includes("*")}, ${inner})`;
  }
}
