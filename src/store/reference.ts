// Fields that show the name of another record, to which they hold the key.
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../input/kinds.ts";
import type { FieldSql } from "./filters.ts";

/** The public fields of a user, as JSON. */
export const USER = sql`json_build_object(
  'id', users.id, 'username', users.username, 'display_name', users.display_name)`;

interface Reference {
  kind: Kind;
  /** In the record. */
  key: SQL;
  /** The other table, under the name that `from` of the resource joins it by, and the key there. */
  table: SQL;
  id: SQL;
  name: SQL;
  /** True of records that are visible to the caller. */
  known?: SQL;
  /** What is shown with `recursive=true`. */
  nested?: SQL;
}

/** Shown and filtered by the key, so that the tables are joined only to sort by the names. */
export function reference(to: Reference): FieldSql {
  const { kind, key, table, id, name, known = sql`true`, nested = name } = to;
  const behind = (value: SQL) =>
    sql`(select ${value} from ${table} where ${id} = ${key} and ${known})`;
  return {
    kind,
    column: name,
    shown: behind(name),
    nested: behind(nested),
    absent: sql`${key} is null`,
    key,
    keys: sql`select ${id} from ${table} where ${known}`,
  };
}
