// Cached totals of lists. PostgreSQL counts row by row, which takes longer than reading a page of a large table. A total
// is counted again only when a transaction was committed since.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";

interface CachedTotal {
  total: number;
  /** The snapshot: equal snapshots see the same rows. */
  snapshot: string;
  until: number;
}

/** Snapshots of another server, after a failover, cannot be compared: no entry lives longer than this. */
const MINUTE = 60_000;
const MOST_CACHED = 1_000;
const cache = new Map<string, CachedTotal>();

/** The current snapshot. On a replica the WAL position is needed too. */
export const SNAPSHOT = sql`concat_ws(' ', pg_current_snapshot(), pg_last_wal_replay_lsn())`;

/** The number of rows, as seen by this snapshot or by a newer one. */
export async function countRows(matching: SQL, snapshot: string): Promise<number> {
  const query = sql`select count(*)::int as total, ${SNAPSHOT} as snapshot ${matching}`;
  const name = database.statementKey(query);
  const cached = cache.get(name);
  if (cached && cached.snapshot === snapshot && cached.until > performance.now()) {
    return cached.total;
  }
  const counted = await database.row<Pick<CachedTotal, "total" | "snapshot">>(query);
  if (!counted) return 0;
  if (cache.size >= MOST_CACHED) cache.clear();
  cache.set(name, { ...counted, until: performance.now() + MINUTE });
  return counted.total;
}
