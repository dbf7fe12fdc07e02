// The figures of items: how many there are of each status, and their total on each of the last days.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { dailyDeltas, dailyTotals } from "../../store/figures/daily_totals.ts";
import type { Colour } from "../attributes/attribute.ts";

interface NamedCount {
  name: string;
  count: number;
}

export interface ItemFigures {
  /** The most frequent first. */
  statuses: Array<NamedCount & { colour: Colour | null }>;
  without: number;
  /** The last one is the current total. */
  daily: number[];
}

interface StatusCount {
  name: string | null;
  colour: Colour | null;
  count: number;
}

export async function itemFigures(): Promise<ItemFigures> {
  const [counts, deltas] = await Promise.all([
    // Grouped by the key before the names are joined, which needs an index-only scan.
    database.rows<StatusCount>(sql`
      select statuses.name, statuses.colour, one.count
      from (select status_id, count(*)::int as count from items group by status_id) one
      left join statuses on statuses.id = one.status_id
      order by one.count desc, lower(statuses.name)`),
    dailyDeltas({ table: "items", where: sql`true`, whereGone: sql`true` }),
  ]);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return {
    statuses: counts.flatMap(({ name, ...one }) => (name === null ? [] : [{ name, ...one }])),
    without: counts.find(({ name }) => name === null)?.count ?? 0,
    daily: dailyTotals(total, deltas),
  };
}
