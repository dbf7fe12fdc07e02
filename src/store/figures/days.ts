// Days of the recent past, in UTC.
import { type SQL, sql } from "drizzle-orm";

/** Long enough to show a trend. */
export const DAYS = 90;
const DAY = 86_400_000;

/** The last days, today included: 2026-11-22. */
export function lastDays(now = Date.now()): string[] {
  return Array.from({ length: DAYS }, (_, at) => dayOf(now - (DAYS - 1 - at) * DAY));
}

/** A number of days after today. */
export function dayAfter(days: number, now = Date.now()): string {
  return dayOf(now + days * DAY);
}

/** The start of the first of the last days, as SQL. */
export function firstMoment(): SQL {
  return sql`${lastDays()[0] ?? ""}::text::timestamptz`;
}

/** The day of a moment, as SQL. */
export function dayIn(moment: SQL): SQL {
  return sql`(${moment} at time zone 'UTC')::date`;
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
