// The history: the changes that the triggers record.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import type { PageRange } from "../store/paging.ts";
import type { Read } from "../store/read.ts";
import {
  changeIdsOf,
  EVENT,
  FROM,
  NAME,
  type RecordRef,
  TABLES,
  visibleChange,
} from "./change_sql.ts";
import type { RowState } from "./differences.ts";
import { type EventRow, type LinkedEvent, withDifferences } from "./events.ts";

export { type RecordRef, TABLES } from "./change_sql.ts";
export type { LinkedDifference } from "./differences.ts";
export type { Event, LinkedEvent } from "./events.ts";

export interface Timeline extends PageRange {
  events: LinkedEvent[];
  total: number;
  /** When the caller's watch of the record sends mails; null if the caller does not watch it. */
  watch: string | null;
}

const FIRST_PAGE: PageRange = { page: 1, per_page: 20 };

/** All changes of one record and its parts, newest first. */
export async function timelineOf(
  caller: Caller,
  which: RecordRef,
  page: PageRange = FIRST_PAGE,
  read: Read = database.rows,
): Promise<Timeline> {
  if (!TABLES.includes(which.table)) throw notFound();
  const changeIds = sql`
    select changes.id ${FROM} where changes.id = any(array(${changeIdsOf(which)})) and ${visibleChange(caller)}`;
  const watch = sql`(
    select mail from watches
    where user_id = ${caller.id}::integer and watches.table_name = ${which.table} and watches.row_id = ${which.id})`;
  const rows = await read<EventRow & { watch: string | null }>(
    sql`
    select ${EVENT}, before, after, (select count(*)::int from (${changeIds}) all_of_it) as total, ${watch} as watch ${FROM}
    where changes.id = any(array(${changeIds}))
    order by changes.id desc limit ${page.per_page} offset ${(page.page - 1) * page.per_page}`,
  );
  // Records of a new installation have no changes yet.
  const [first] =
    rows.length > 0 ? rows : await read<{ watch: string | null }>(sql`select ${watch} as watch`);
  const events = rows.map(({ watch, ...row }) => row);
  return {
    ...page,
    events: await withDifferences(read, caller, events),
    total: rows[0]?.total ?? 0,
    watch: first?.watch ?? null,
  };
}

export interface ChangedRow {
  table_name: string;
  row_id: number;
  name: string | null;
  before: RowState | null;
  after: RowState | null;
}

/**
 * The changes of a change set that are visible to the caller; not found if there is none, and what was changed past
 * the service has no change set.
 */
export async function changedRowsOf(
  read: Read,
  caller: Caller,
  set: number,
): Promise<ChangedRow[]> {
  const rows = await read<ChangedRow>(sql`
    select table_name, row_id, ${NAME} as name, before, after ${FROM}
    where change_set = ${set} and ${visibleChange(caller)} and exists (select from change_sets where id = ${set})
    order by changes.id`);
  if (rows.length === 0) throw notFound();
  return rows;
}
