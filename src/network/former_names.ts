// Finds renamed records by a former name, so that old URLs redirect.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { textError } from "../input/text.ts";

const NAME_COLUMNS: Partial<Record<string, string>> = {
  hosts: "name",
  interfaces: "name",
  groups: "name",
  scopes: "name",
  networks: "vlan_name",
};

/**
 * The present name of the record that had this name most recently, if its kind has former names. The record may be hidden: the page checks
 * before it redirects that it is visible to the caller.
 */
export async function currentName(table: string, former: string): Promise<string | undefined> {
  const column = NAME_COLUMNS[table];
  if (!column || textError(former)) return undefined;
  const called = sql.identifier(column);
  const found = await database.row<{ name: string }>(sql`
    select one.${called} as name from former_names join ${sql.identifier(table)} one on one.id = row_id
    where table_name = ${table} and former_names.name = lower(${former}::text collate names)
    order by change_id desc limit 1`);
  return found?.name;
}
