// What was renamed, by the name that it had: for old addresses.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { flaw } from "../input/text.ts";

const CALLED = {
  hosts: "name",
  interfaces: "name",
  groups: "name",
  scopes: "name",
  networks: "vlan_name",
} as const;

/**
 * The present name of what was called so last. It may be hidden: whoever leads there looks first whether
 * the asker may know it.
 */
export async function nowCalled(
  table: keyof typeof CALLED,
  former: string,
): Promise<string | undefined> {
  if (flaw(former)) return undefined;
  const called = sql.identifier(CALLED[table]);
  const found = await database.row<{ name: string }>(sql`
    with renamed as materialized (
      select id, row_id from changes
      where table_name = ${table} and action = 'update' and former_label(before) <> former_label(after)
        and former_label(before) collate names = lower(${former}::text collate names)
    )
    select one.${called} as name from renamed join ${sql.identifier(table)} one on one.id = row_id
    order by renamed.id desc limit 1`);
  return found?.name;
}
