// Networks and scopes as somebody left them at an earlier version, for the fields of their forms.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

export const VALUES = {
  networks: [
    "vlan_name",
    "address",
    "first_ip",
    "last_ip",
    "gateway",
    "domain",
    "description",
    "admin_only",
    "sensitive",
  ],
  scopes: ["name", "first_vlan", "last_vlan", "supernet", "domain", "description"],
} as const;

export type Table = keyof typeof VALUES;
/** Texts, as they stand in the fields. */
export type Values = Record<string, string>;

export function valuesOf(table: Table, record: object): Values {
  const given = Object.entries(record).map(([name, value]) => [name, value ?? ""]);
  const texts: Record<string, unknown> = Object.fromEntries(given);
  return Object.fromEntries(VALUES[table].map((name) => [name, String(texts[name] ?? "")]));
}

/** Undefined where nothing is known of that version. For admins, who alone change them. */
export async function valuesAt(
  table: Table,
  id: number,
  version: number,
): Promise<Values | undefined> {
  const found = await database.row<{ json: string }>(sql`
    select (after || jsonb_build_object('domain',
      coalesce(domains.name, former_name('domains', (after ->> 'domain_id')::integer, 'name'))))::text as json
    from changes left join domains on domains.id = (after ->> 'domain_id')::integer
    where table_name = ${table} and row_id = ${id} and (after ->> 'version')::integer = ${version}
    order by changes.id desc limit 1`);
  return found && valuesOf(table, JSON.parse(found.json));
}
