// Which feeds are in use.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";

export interface FeedHealth {
  name: string;
  /** The day: see stored_content.ts. */
  asked_at: string;
  changed_at: string;
}

/** The last answer of each feed, of all callers. */
export function feedHealth(): Promise<FeedHealth[]> {
  return database.rows<FeedHealth>(sql`
    select split_part(asked, ' ', 1) as name, to_char(max(asked_at) at time zone 'UTC', 'YYYY-MM-DD') as asked_at,
      shown(max(changed_at)) as changed_at
    from feeds group by 1 order by 1`);
}
