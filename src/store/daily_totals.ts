// How many records there were on each of the last days: from the records that exist, and from the history those that
// went since. Insertions, the bulk of the history, are not read.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { dayIn, firstMoment, lastDays } from "./days.ts";

interface Counted {
  /** The name of their table. */
  table: string;
  /** The tables of the condition, if it needs more than their own. */
  from?: SQL;
  /** True of records that count. */
  where: SQL;
  /** True of records that counted before they were deleted, by the columns of `changes`. */
  whereGone: SQL;
}

/** The totals at the ends of the last days, the oldest first; the last one is the current total. */
export async function dailyTotals(counted: Counted): Promise<number[]> {
  const table = sql.identifier(counted.table);
  const from = counted.from ?? table;
  const found = await database.row<{ total: number; deltas: string }>(sql`
    with gone as (
      select distinct on (row_id) (before ->> 'created_at')::timestamptz as created_at, at as deleted_at
      from changes
      where table_name = ${sql.raw(`'${counted.table}'`)} and action = 'delete' and at >= ${firstMoment()}
        and not exists (select from ${table} present where present.id = row_id) and ${counted.whereGone}
      order by row_id, id desc
    ), deltas as (
      select ${table}.created_at as at, 1 as delta
      from ${from} where ${table}.created_at >= ${firstMoment()} and ${counted.where}
      union all select created_at, 1 from gone where created_at >= ${firstMoment()}
      union all select deleted_at, -1 from gone
    ), days as (
      select ${dayIn(sql`at`)} as day, sum(delta)::int as delta from deltas group by 1
    )
    select (select count(*)::int from ${from} where ${counted.where}) as total,
      (select coalesce(json_object_agg(day, delta), '{}')::text from days) as deltas`);
  return totalsBefore(found?.total ?? 0, JSON.parse(found?.deltas ?? "{}"));
}

function totalsBefore(now: number, deltas: Record<string, number>): number[] {
  const totals: number[] = [];
  let total = now;
  for (const day of lastDays().toReversed()) {
    totals.push(total);
    total -= deltas[day] ?? 0;
  }
  return totals.toReversed();
}
