// Finds renamed records by a former name, so that old URLs redirect.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { textError } from "../input/text.ts";

const NAME_COLUMNS: Record<string, string> = {
  hosts: "name",
  interfaces: "name",
  groups: "name",
  scopes: "name",
  networks: "vlan_name",
  items: "ics_id",
};

/**
 * The present name of the record that had this name most recently, if its kind has former names. The record may be hidden: the page checks
 * before it redirects that it is visible to the caller.
 */
export async function currentName(table: string, former: string): Promise<string | undefined> {
  if (!(table in NAME_COLUMNS) || textError(former)) return undefined;
  const found = await database.row<NamedNow>(namedNow(table, former));
  return found?.name;
}

/** The records of each kind whose former name this is, by their present names. */
export async function formerlyCalled(former: string): Promise<NamedNow[]> {
  if (textError(former)) return [];
  const each = Object.keys(NAME_COLUMNS).map((table) => namedNow(table, former));
  return database.rows<NamedNow>(sql.join(each, sql` union all `));
}

interface NamedNow {
  table: string;
  name: string;
}

function namedNow(table: string, former: string): SQL {
  const called = sql.identifier(NAME_COLUMNS[table] ?? "name");
  return sql`(
    select ${table}::text as table, one.${called}::text as name
    from former_names join ${sql.identifier(table)} one on one.id = row_id
    where table_name = ${table} and former_names.name = lower(${former}::text collate names)
    order by change_id desc limit 1)`;
}
