// How many more entries of a log match a condition than those up to an id. Entries are only added, so these are all that
// were added since. Where one was changed or deleted, the log has another edition: see db/migrations/0055_editions.sql.
import { type SQL, sql } from "drizzle-orm";
import { LAST_MARK, SERVER, type Since, text } from "./difference.ts";
import { SNAPSHOT } from "./snapshot.ts";

/** Of a condition on the log alone. */
export function sinceEntry(log: string, matching: SQL): Since {
  return { newest: newestEntry(log), after: (id) => difference(log, matching, id) };
}

/** A replica has no locks of writers, so nobody knows there what is under way. */
function newestEntry(log: string): SQL {
  return sql`
    select case when not pg_is_in_recovery() then committed_up_to(${text(log)})::float8 end as mark`;
}

// The edition is read in the snapshot in which the entries are counted: where it is that of the base, exactly the same
// changes and deletions are committed. A mark that is not known is one of another server, which had more entries. The new
// entries are copied, as PostgreSQL would else read the index of a condition, too, which can find most of the log.
function difference(log: string, matching: SQL, id: number): SQL {
  return sql`
    with ${sql.identifier(log)} as materialized (
      select * from ${sql.identifier(log)} where id > ${id}::bigint and id <= ${LAST_MARK}
    )
    select (select count(*)::int ${matching}) as delta,
      (select count(*)::int from ${sql.identifier(log)}) as changes,
      pg_is_in_recovery() or last_drawn_id(${text(log)}) < ${id}::bigint as is_unknown,
      concat_ws(' ', ${SERVER}, (select edition from editions where table_name = ${text(log)})) as edition,
      ${SNAPSHOT} as snapshot`;
}
