// What the pages of hosts show of runs, for those who tell open pages of it: see events/stream/progress.ts.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { longs } from "../../input/keys.ts";

export interface RunState {
  id: number;
  is_open: boolean;
  /** Another text when the page of a host shows something else of it. */
  state: string;
}

/** A quick run is found after its end among so many that were made last. No index has the time of the end. */
const NEWEST = 100;

/** The runs that have not ended, those of the newest ones that ended a minute ago or less, and those with these ids. */
export function recentRuns(ids: number[]): Promise<RunState[]> {
  return database.rows<RunState>(sql`
    select id::float8 as id, finished_at is null as is_open,
      concat_ws(' ', status, url, exists (
        select from trigger_results where run_id = trigger_runs.id)) as state
    from trigger_runs
    where status in ('waiting', 'launching', 'started') or id = any(${longs(ids)})
      or id = any(array(select id from trigger_runs order by id desc limit ${NEWEST}))
        and finished_at > now() - interval '1 minute'`);
}

/** The hosts whose pages show one of these runs, as far as the caller sees them. */
export async function hostsShowing(
  caller: Caller,
  runs: number[],
  most: number,
): Promise<number[]> {
  const found = await database.rows<{ id: number }>(sql`
    select distinct hosts.id from trigger_results join hosts on hosts.id = trigger_results.host_id
    where run_id = any(${longs(runs)}) and ${mayKnowHost(caller, sql`hosts.id`)} limit ${most}`);
  return found.map(({ id }) => id);
}
