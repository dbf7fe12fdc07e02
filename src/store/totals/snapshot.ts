import { sql } from "drizzle-orm";

/** The current snapshot. On a replica the WAL position is needed too; another server has other snapshots. */
export const SNAPSHOT = sql`concat_ws(' ', pg_current_snapshot(), pg_last_wal_replay_lsn(), pg_postmaster_start_time())`;
