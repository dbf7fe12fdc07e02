// Fields that show the name of another record, to which they hold the key.
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../input/kinds.ts";
import type { FieldSql } from "./filters.ts";

/** The public fields of a user, as JSON. */
export const USER_JSON = jsonObject({
  id: sql`users.id`,
  username: sql`users.username`,
  display_name: sql`users.display_name`,
});

interface ReferenceField {
  kind: Kind;
  /** The reference in the record. */
  key: SQL;
  /** The other table, by the name in `from` of the resource, and its key. */
  table: SQL;
  id: SQL;
  name: SQL;
  /** True of records that are visible to the caller. */
  visible?: SQL;
  /** The value with `recursive=true`. */
  nested?: SQL;
}

/** Shown and filtered by the key, so that the tables are joined only to sort by the names. */
export function referenceSql(to: ReferenceField): FieldSql {
  const { kind, key, table, id, name, visible = sql`true`, nested = name } = to;
  const behind = (value: SQL) =>
    sql`(select ${value} from ${table} where ${id} = ${key} and ${visible})`;
  return {
    kind,
    column: name,
    recordValue: behind(name),
    nested: behind(nested),
    isNull: sql`${key} is null`,
    key,
    keys: sql`select ${id} from ${table} where ${visible}`,
    batchValue: { value: sql`case when ${visible} then ${name} end` },
  };
}

/** A JSON object without blanks, which json_build_object() writes around its colons. */
export function jsonObject(values: Record<string, SQL>): SQL {
  const columns = Object.entries(values).map(
    ([name, value]) => sql`${value} as ${sql.identifier(name)}`,
  );
  // No field has such a name.
  return sql`(select row_to_json("Object") from (select ${sql.join(columns, sql`, `)}) "Object")`;
}
