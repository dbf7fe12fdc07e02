// Fields that tell of a record by the name of another one, to which they hold a key.
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../input/kinds.ts";
import type { FieldSql } from "./filters.ts";

/** Who somebody is, from `users`: no more than everybody may know. */
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
  /** True there of what the caller may know. */
  known?: SQL;
  /** What stands in its place with `recursive=true`. */
  nested?: SQL;
}

/** Told and asked for by the key, so that the tables are joined only for a list in the order of the names. */
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
