// The change sets that a caller sees: the newest first for people, the oldest first after a cursor for programs. Both
// use the same statement.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onReplica } from "../../db/replica.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid } from "../input/errors.ts";
import { readQuery } from "../input/query.ts";
import { committedUpToId, MOST_PER_PAGE } from "../store/paging.ts";
import { FROM, ONLY_CHANGES, visibleChange } from "./change_sql.ts";
import { type ChangeFilters, type Conditions, conditionsOf, feedQuery } from "./filters.ts";
import { EVENTS_OF_EACH, readSets, type StoredSet } from "./sets.ts";

interface ChangeListRequest {
  filters: ChangeFilters;
  most: number;
  /** Events of each set. */
  events?: number;
}

type LatestRequest = ChangeListRequest & { before?: number };

interface ChangePage {
  sets: StoredSet[];
  /** The next page begins before this set; undefined if there is none. */
  before: number | undefined;
}

interface ChangesSince {
  sets: StoredSet[];
  /** Everything up to this change set has been read. */
  cursor: number;
}

/** A search for a text covers at most two windows of this size, aligned to it, so that the cursor discloses nothing. */
const WINDOW = 20_000;

export type ReadRequest = ChangeListRequest & { after?: number; before?: number };

/** The parameters of a URL. */
export function readRequest(params: URLSearchParams): ReadRequest {
  const { after, before, per_page, ...filters } = readQuery(feedQuery, params);
  if (after !== undefined && before !== undefined) {
    throw invalid("after", "Use after or before, not both");
  }
  return {
    filters,
    most: Math.min(per_page, MOST_PER_PAGE),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
}

/** The newest change sets, or those before one; from a replica, if there is one. */
export function latestChanges(caller: Caller, request: LatestRequest): Promise<ChangePage> {
  return onReplica(() => readLatest(caller, request));
}

async function readLatest(
  caller: Caller,
  { filters, most, events, before }: LatestRequest,
): Promise<ChangePage> {
  const conditions = await conditionsOf(filters);
  if (!conditions) return { sets: [], before: undefined };
  const oldest = conditions.isSlow ? await beginOfWindow(before) : 0;
  const extent = (id: SQL) => [
    ...(before === undefined ? [] : [sql`${id} < ${before}`]),
    ...(oldest === 0 ? [] : [sql`${id} >= ${oldest}`]),
  ];
  const found = await readSets(database.rows, caller, {
    where: matching(caller, conditions, extent),
    order: "newest",
    most: most + 1,
    events: { most: events ?? EVENTS_OF_EACH },
  });
  const sets = found.slice(0, most);
  if (found.length > most) return { sets, before: sets.at(-1)?.id };
  return { sets, before: oldest === 0 ? undefined : oldest };
}

/**
 * The change sets after one, the oldest first, as far as all of them are committed: later commits have larger ids, so a
 * program that continues from the cursor misses nothing. The cursor is a set that the caller sees. From the primary, which
 * knows the transactions under way.
 */
export async function changesAfter(
  caller: Caller,
  { filters, most, events, after }: ChangeListRequest & { after: number },
): Promise<ChangesSince> {
  const conditions = await conditionsOf(filters);
  if (!conditions) return { sets: [], cursor: after };
  const committed = await committedUpToId("change_sets");
  const end = conditions.isSlow ? endOfWindow(after) : committed;
  const upTo = Math.min(committed, end);
  const extent = (id: SQL) => [sql`${id} > ${after}`, sql`${id} <= ${upTo}`];
  const sets = await readSets(database.rows, caller, {
    where: matching(caller, conditions, extent),
    order: "oldest",
    most,
    events: { most: events ?? EVENTS_OF_EACH },
  });
  const last = sets.at(-1)?.id ?? after;
  if (sets.length === most) return { sets, cursor: last };
  if (upTo < committed) return { sets, cursor: upTo };
  return { sets, cursor: isFiltered(conditions) ? await lastSeen(caller, extent, last) : last };
}

const MOST_COUNTED = 10_000;

/** The number of matches; undefined if there are too many to count, or a filter would have to read them all. */
export function countChanges(caller: Caller, filters: ChangeFilters): Promise<number | undefined> {
  return onReplica(() => count(caller, filters));
}

async function count(caller: Caller, filters: ChangeFilters): Promise<number | undefined> {
  const conditions = await conditionsOf(filters);
  if (!conditions) return 0;
  if (conditions.isSlow && (await beginOfWindow()) > 0) return undefined;
  const found = await database.row<{ count: number }>(sql`
    select count(*)::int from (
      select from change_sets sets where ${matching(caller, conditions)} limit ${MOST_COUNTED + 1}
    ) counted`);
  const counted = found?.count ?? 0;
  return counted > MOST_COUNTED ? undefined : counted;
}

/** Conditions on the id of a set. */
type IdRange = (id: SQL) => SQL[];

/** A condition for `change_sets sets`. The extent is a condition on both tables, otherwise PostgreSQL scans one from its end. */
function matching(caller: Caller, conditions: Conditions, extent: IdRange = () => []): SQL {
  const { sets, changes, needsNames } = conditions;
  const seen = [visibleChange(caller), ...changes, ...extent(sql`change_set`)];
  const has = sql`exists (select ${needsNames ? FROM : ONLY_CHANGES}
    where change_set = sets.id and ${sql.join(seen, sql` and `)})`;
  return sql.join([...extent(sql`sets.id`), ...sets, has], sql` and `);
}

function isFiltered({ sets, changes }: Conditions): boolean {
  return sets.length + changes.length > 0;
}

/** The newest set that the caller sees, without filters: the next request continues there, not at the last match. */
async function lastSeen(caller: Caller, extent: IdRange, otherwise: number): Promise<number> {
  const all = { sets: [], changes: [], isSlow: false, needsNames: false };
  const found = await database.row<{ id: number }>(sql`
    select sets.id::int from change_sets sets where ${matching(caller, all, extent)}
    order by sets.id desc limit 1`);
  return found?.id ?? otherwise;
}

async function beginOfWindow(before?: number): Promise<number> {
  const next = before ?? (await nextId());
  return Math.max(0, (Math.floor((next - 1) / WINDOW) - 1) * WINDOW);
}

function endOfWindow(after: number): number {
  return (Math.floor(after / WINDOW) + 2) * WINDOW;
}

async function nextId(): Promise<number> {
  const found = await database.row<{ id: number }>(
    sql`select coalesce(max(id), 0)::float8 + 1 as id from change_sets`,
  );
  return found?.id ?? 1;
}
