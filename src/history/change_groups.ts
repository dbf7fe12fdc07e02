// The latest change sets, each summed up: what was added, changed and deleted, and how many of each kind.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { EVENT, type Event, FROM, visibleChange } from "./history.ts";

/** Changes of one kind by one action. */
export interface ChangeGroup extends Event {
  /** How many; the event is the first of them. */
  count: number;
}

export interface SummedUp extends Pick<Event, "change_set" | "at" | "user"> {
  groups: ChangeGroup[];
  /** There are more changes than were counted. */
  is_more: boolean;
}

/** More changes of one set are not counted. */
const MOST_COUNTED = 10_000;

/** The latest change sets with a change that is visible to the caller, the newest first. */
export async function latestChanges(caller: Caller, most: number): Promise<SummedUp[]> {
  const visible = visibleChange(caller);
  const rows = await database.rows<ChangeGroup & { is_more: boolean }>(sql`
    select event.*, grouped.count,
      sum(grouped.count) over (partition by event.change_set) > ${MOST_COUNTED} as is_more
    from (
      select sets.id from change_sets sets
      where exists (select ${FROM} where change_set = sets.id and ${visible}) order by sets.id desc limit ${most}
    ) latest cross join lateral (
      select count(*)::int as count, min(counted.id) as first from (
        select changes.id, table_name, action ${FROM} where change_set = latest.id and ${visible}
        order by changes.id limit ${MOST_COUNTED + 1}
      ) counted group by table_name, action
    ) grouped cross join lateral (select ${EVENT} ${FROM} where changes.id = grouped.first) event
    order by event.change_set desc, grouped.first`);
  return summedUp(rows);
}

function summedUp(rows: Array<ChangeGroup & { is_more: boolean }>): SummedUp[] {
  return [...Map.groupBy(rows, ({ change_set }) => change_set).values()].flatMap((groups) => {
    const [first] = groups;
    return first
      ? [
          {
            change_set: first.change_set,
            at: first.at,
            user: first.user,
            is_more: first.is_more,
            groups,
          },
        ]
      : [];
  });
}
