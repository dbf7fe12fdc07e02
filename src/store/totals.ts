// Totals of lists. PostgreSQL counts row by row, which takes longer than reading a page of a large table, so a total is
// kept while nothing is committed.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onOpen } from "../../db/on_open.ts";

/** The current snapshot. On a replica the WAL position is needed too; another server has other snapshots. */
export const SNAPSHOT = sql`concat_ws(' ', pg_current_snapshot(), pg_last_wal_replay_lsn(), pg_postmaster_start_time())`;

/** The total of a snapshot: equal snapshots see the same rows. */
interface CachedTotal {
  total: number;
  snapshot: string;
  until: number;
}

/** Some conditions depend on the time. */
const MINUTE = 60_000;
const MOST_CACHED = 1_000;
/** Characters: statements with the results of a large search are long, and hardly ever sent again. */
const LONGEST_NAME = 20_000;

const cache = new Map<string, CachedTotal>();

onOpen(() => cache.clear());

/** The number of rows `from` tables `where` a condition, as seen by this snapshot or by a newer one. */
export async function countRows(matching: SQL, snapshot: string): Promise<number> {
  const name = database.statementKey(matching);
  const cached = cache.get(name);
  if (cached && cached.snapshot === snapshot && cached.until > performance.now()) {
    return cached.total;
  }
  const query = sql`select count(*)::int as total, ${SNAPSHOT} as snapshot ${matching}`;
  const counted = await database.row<Pick<CachedTotal, "total" | "snapshot">>(query);
  if (!counted) return 0;
  if (name.length <= LONGEST_NAME) {
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(name, { ...counted, until: performance.now() + MINUTE });
  }
  return counted.total;
}
