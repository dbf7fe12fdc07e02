// Tables whose records may be inside of each other: the column parent_id is the key of the record around.
import { type SQL, sql } from "drizzle-orm";
import type { DataRule } from "./rules.ts";

/** The rule that no record of such a table contains itself. */
export function noCycle(
  table: string,
  { key, lock, message }: { key: string; lock: string; message: string },
): DataRule {
  const [from, name] = [sql.identifier(table), sql.identifier(key)];
  return {
    on: { [table]: ["parent_id"] },
    lock,
    tellsOf: "its records",
    // In SQL: the builder has no recursive queries. With `offset 0` each parent is looked up by its key: an import touches
    // more rows than the statistics know, and PostgreSQL would read the whole table for each level.
    broken: (touched) => sql`
      with recursive above as (
        select id, parent_id from ${from} where ${touched(table, sql`id`)}
        union select above.id, one.parent_id from above
          cross join lateral (select parent_id from ${from} where id = above.parent_id offset 0) one
      )
      select (select ${name} from ${from} one where one.id = above.id) as record
      from above where parent_id = id order by id limit 1`,
    refuse: () => ({ field: "parent", message, code: "inside_itself" }),
  };
}

/** The ids that a statement selects, and those of everything inside of them. */
export function allInside(table: SQL, ids: SQL): SQL {
  return sql`
    with recursive inside as (
      ${ids} union select one.id from ${table} one join inside on one.parent_id = inside.id
    ) select id from inside`;
}
