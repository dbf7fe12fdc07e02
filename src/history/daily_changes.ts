// The number of changes on each of the last days. The counts are cached, and new changes are added to them, so that the
// history is read once.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onOpen } from "../../db/on_open.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import { visibilityOf } from "../auth/visibility.ts";
import { committedUpTo } from "../search/cache/result_cache.ts";
import { dayIn, firstMoment, lastDays } from "../store/figures/days.ts";
import { FROM, hiddenChange, visibleChange } from "./change_sql.ts";

type Counts = Record<string, number>;

interface CachedCounts {
  counts: Counts;
  /** The newest change that is in the counts. */
  upTo: number;
}

/** By what the caller sees. */
const kept = new Map<string, CachedCounts>();
const MOST_KEPT = 100;

onOpen(() => kept.clear());

/** The number of change sets with a change that is visible to the caller, for each of the last days, the oldest first. */
export async function dailyChanges(caller: Caller): Promise<number[]> {
  const upTo = await committedUpTo();
  const visibility = visibilityOf(caller);
  const before = kept.get(visibility);
  const { newest, is_valid, ...later } = await countsAfter(caller, before?.upTo);
  if (before && !is_valid) {
    kept.delete(visibility);
    return dailyChanges(caller);
  }
  const added: Counts = JSON.parse(later.counts);
  const days = lastDays().map(
    (day) => [day, (before?.counts[day] ?? 0) + (added[day] ?? 0)] as const,
  );
  if (kept.size >= MOST_KEPT) kept.clear();
  if (newest === upTo) kept.set(visibility, { counts: Object.fromEntries(days), upTo });
  return days.map(([, count]) => count);
}

interface LaterCounts {
  /** By day, as JSON. */
  counts: string;
  /** The newest change that was read. */
  newest: number;
  /** Whether the cached counts are still valid for this history and this caller. */
  is_valid: boolean;
}

/** Keeps the planner from reading all changes at once: one visible change is enough, and the others are expensive. */
const SET_BY_SET = sql`offset 0`;
/** The first count reads every change set of the last days. In milliseconds. */
const LONGEST = 20_000;

/** The counts of the changes after the given one; without it, of all changes in the last days. */
async function countsAfter(caller: Caller, lastChange: number | undefined): Promise<LaterCounts> {
  const isLater =
    lastChange === undefined
      ? sql`true`
      : sql`sets.id in (select change_set from changes where changes.id > ${lastChange})`;
  const query = sql`
    select (
      select coalesce(json_object_agg(day, count), '{}')::text from (
        select ${dayIn(sql`sets.at`)} as day, count(*)::int as count from change_sets sets
        where sets.at >= ${firstMoment()} and ${isLater}
          and exists (select ${FROM} where change_set = sets.id and ${visibleChange(caller)} ${SET_BY_SET})
        group by 1
      ) daily
    ) as counts, (select coalesce(max(id), 0)::float8 from changes) as newest,
      ${lastChange === undefined ? sql`true` : isStillValid(caller, lastChange)} as is_valid`;
  const [found] = await (lastChange === undefined
    ? database.slowRows<LaterCounts>(query, LONGEST)
    : database.rows<LaterCounts>(query));
  return found ?? { counts: "{}", newest: 0, is_valid: true };
}

/** Whether this is the same history, and the same earlier changes are visible to the caller. */
function isStillValid(caller: Caller, lastChange: number): SQL {
  const isThere = sql`exists (select from changes where id = ${lastChange})`;
  if (seesAll(caller)) return isThere;
  return sql`(${isThere} and not exists (
    select ${FROM} left join change_sets on change_sets.id = change_set
    where changes.id > ${lastChange} and table_name in ('networks', 'hosts', 'interfaces')
      and (${hiddenChange(caller)} or undoes is not null or (before ->> 'sensitive')::boolean)))`;
}
