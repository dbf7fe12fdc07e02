// What happened since a page was made: to a record after one of its versions, and in general.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { recordFrom } from "../store/past/rows.ts";
import type { Resource } from "../store/resource.ts";
import type { RecordVersion } from "../store/versions.ts";
import type { LinkedEvent } from "./events.ts";
import { timelineOf } from "./history.ts";

/** The newest first, as far as the caller sees them; none if that version is unknown. */
export async function changesSince(
  resource: Resource,
  caller: Caller,
  { id, version }: RecordVersion,
): Promise<LinkedEvent[]> {
  const table = sql.identifier(resource.name);
  const found = database.row<{ set: number }>(sql`
    select change_set::int as set
    from changes cross join lateral ${recordFrom(resource.name, sql`after`)} ${table}
    where table_name = ${resource.name} and row_id = ${id}
      and ${resource.version?.(caller) ?? sql`${table}.version`} = ${version}
    order by changes.id desc limit 1`);
  // Both, so that it takes as long for a record that is hidden from the caller as for none.
  const [begin, { events }] = await Promise.all([
    found,
    timelineOf(caller, { table: resource.name, id }),
  ]);
  return begin ? events.filter(({ change_set }) => change_set > begin.set) : [];
}

/** The last change set that began before so many seconds, of any record. */
export async function changeBefore(seconds: number): Promise<number> {
  const found = await database.row<{ id: number }>(sql`
    select id::int from change_sets where at < now() - make_interval(secs => ${seconds})
    order by id desc limit 1`);
  return found?.id ?? 0;
}
