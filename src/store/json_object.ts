import { type SQL, sql } from "drizzle-orm";

/** A JSON object without blanks, which json_build_object() writes around its colons. */
export function jsonObject(values: Record<string, SQL>): SQL {
  const columns = Object.entries(values).map(
    ([name, value]) => sql`${value} as ${sql.identifier(name)}`,
  );
  return sql`(select row_to_json(object) from (select ${sql.join(columns, sql`, `)}) object)`;
}
