// How many there are of something: PostgreSQL counts row by row, which for a large table takes longer than the
// page that is shown. A total is counted again only when something has been committed since.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";

interface Counted {
  total: number;
  /** Which transactions had committed. Where it is the same, so is all that can be seen. */
  snapshot: string;
  until: number;
}

/** Snapshots are compared within one server only: one that takes its place must not be believed for long. */
const MINUTE = 60_000;
const MOST = 1_000;
const known = new Map<string, Counted>();

/** What there was to be seen; a replica's alone would not tell of who ended out of turn. */
export const SNAPSHOT = sql`concat_ws(' ', pg_current_snapshot(), pg_last_wal_replay_lsn())`;

/** Of the rows that a query sees which saw this snapshot, or a newer one. */
export async function count(those: SQL, snapshot: string): Promise<number> {
  const query = sql`select count(*)::int as total, ${SNAPSHOT} as snapshot ${those}`;
  const name = database.statementKey(query);
  const before = known.get(name);
  if (before && before.snapshot === snapshot && before.until > performance.now()) {
    return before.total;
  }
  const counted = await database.row<Pick<Counted, "total" | "snapshot">>(query);
  if (!counted) return 0;
  if (known.size >= MOST) known.clear();
  known.set(name, { ...counted, until: performance.now() + MINUTE });
  return counted.total;
}
