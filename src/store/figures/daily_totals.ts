// The number of records on each of the last days, computed from the records that exist and those that were deleted since.
// Insertions, the bulk of the history, are not read.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { dayIn, firstMoment, lastDays } from "./days.ts";

interface CountedTable {
  /** The name of their table. */
  table: string;
  /** The tables of the condition, if it needs more than their own. */
  from?: SQL;
  /** True of records that count. */
  where: SQL;
  /** True of records that counted before they were deleted, by the columns of `changes`. */
  whereGone: SQL;
}

/** By day, the difference between its end and its start. */
type Deltas = Record<string, number>;

export async function dailyDeltas({
  table: name,
  from,
  where,
  whereGone,
}: CountedTable): Promise<Deltas> {
  const table = sql.identifier(name);
  const found = await database.row<{ deltas: string }>(sql`
    with gone as (
      select distinct on (row_id) (before ->> 'created_at')::timestamptz as created_at, at as deleted_at
      from changes
      where table_name = ${sql.raw(`'${name}'`)} and action = 'delete' and at >= ${firstMoment()}
        and not exists (select from ${table} present where present.id = row_id) and ${whereGone}
      order by row_id, id desc
    ), deltas as (
      select ${dayIn(sql`${table}.created_at`)} as day, count(*)::int as delta
      from ${from ?? table} where ${table}.created_at >= ${firstMoment()} and ${where} group by 1
      union all select ${dayIn(sql`created_at`)}, 1 from gone where created_at >= ${firstMoment()}
      union all select ${dayIn(sql`deleted_at`)}, -1 from gone
    )
    select coalesce(json_object_agg(day, delta), '{}')::text as deltas
    from (select day, sum(delta)::int as delta from deltas group by day) days`);
  return JSON.parse(found?.deltas ?? "{}");
}

/** The totals at the ends of the last days, the oldest first; the last one is the current total. */
export function dailyTotals(now: number, deltas: Deltas): number[] {
  const totals: number[] = [];
  let total = now;
  for (const day of lastDays().toReversed()) {
    totals.push(total);
    total -= deltas[day] ?? 0;
  }
  return totals.toReversed();
}
