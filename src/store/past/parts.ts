// Rows that belong to others, such as interfaces to hosts, or once did.
import { type SQL, sql } from "drizzle-orm";

/** A table, and the column by which its rows belong to others. */
export type PartOf = readonly [table: string, key: string];

/**
 * The ids of all rows that belong or ever belonged to these owners. The owners are the end of a condition, such as
 * "= 5", and may be columns of any table around.
 */
export function partIds([table, key]: PartOf, owners: SQL): SQL {
  return sql`
    select one.id from ${sql.identifier(table)} one where one.${sql.identifier(key)} ${owners}
    union select row_id from former_parts
      where table_name = ${literal(table)} and key = ${literal(key)} and owner_id ${owners}`;
}

/** The ids of the changes of these rows before or after which they belonged to the owners. */
export function changesOfParts(part: PartOf, owners: SQL, within = sql`true`): SQL {
  const [table, key] = part;
  const belongs = (state: SQL) => sql`(${state} ->> ${literal(key)})::integer ${owners}`;
  // The rows first: PostgreSQL does not know how few they are.
  return sql`
    select change.id from (${partIds(part, owners)}) part cross join lateral (
      select id from changes where table_name = ${literal(table)} and row_id = part.id
        and (${belongs(sql`before`)} or ${belongs(sql`after`)}) and ${within} offset 0
    ) change`;
}

function literal(name: string): SQL {
  return sql.raw(`'${name}'`);
}
