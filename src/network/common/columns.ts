// Columns and conditions that the records of the network have in common.
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../../input/kinds.ts";
import type { FieldSql, FieldsSql } from "../../store/filters.ts";
import { USER } from "../../store/reference.ts";

/** What every record that people edit ends with. */
export function edited(table: SQL): FieldsSql {
  return {
    user: {
      kind: "name",
      column: sql`(select username from users where users.id = ${table}.updated_by)`,
      nested: sql`(select ${USER} from users where users.id = ${table}.updated_by)`,
    },
    user_id: { kind: "integer", column: sql`${table}.updated_by`, hidden: true },
    created_at: { kind: "time", column: sql`${table}.created_at` },
    updated_at: { kind: "time", column: sql`${table}.updated_at` },
  };
}

/** The keys of records that are told of by name: the list is filtered by any of them. */
export function keyAmong(key: SQL, among: SQL): FieldSql {
  return { kind: "integer", column: key, among, hidden: true };
}

interface Many {
  kind: Kind;
  /** What names each of them; `one` is their table in `from`. */
  name: SQL;
  /** Tables and the condition that leads to the record around them. */
  from: SQL;
  /** The records that stand in their place with `recursive`. */
  nested?: SQL;
}

/** Names of other records, in the order of those names; the list is filtered by any of them. */
export function many({ kind, name, from, nested }: Many): FieldSql {
  return {
    kind,
    column: name,
    among: from,
    shown: sql`(select coalesce(json_agg(${name} order by ${name}), '[]'::json) from ${from})`,
    nested:
      nested &&
      sql`(select coalesce(json_agg(${nested} order by ${name}), '[]'::json) from ${from})`,
  };
}
