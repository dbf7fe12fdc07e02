// Finds renamed records by a former name, so that old URLs redirect.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { textError } from "../input/text.ts";

const NAME_COLUMNS = {
  hosts: "name",
  interfaces: "name",
  groups: "name",
  scopes: "name",
  networks: "vlan_name",
} as const;

/**
 * The present name of the record that had this name most recently. The record may be hidden: the page checks
 * before it redirects that it is visible to the caller.
 */
export async function currentName(
  table: keyof typeof NAME_COLUMNS,
  former: string,
): Promise<string | undefined> {
  if (textError(former)) return undefined;
  const called = sql.identifier(NAME_COLUMNS[table]);
  // In SQL: it reads names out of JSON states of the history.
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
