// The change sets that a caller sees: the newest first for people, the oldest first after a cursor for programs. Both
// use the same statement.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onReplica } from "../../db/replica.ts";
import type { Caller } from "../auth/auth.ts";
import { readCursor } from "../input/change_ids.ts";
import { invalid } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { readQuery } from "../input/query.ts";
import { committedUpToId, MOST_PER_PAGE } from "../store/paging.ts";
import { FROM, ONLY_CHANGES, visibleChange } from "./change_sql.ts";
import {
  type ChangeFilters,
  type Conditions,
  changesQuery,
  checkFilters,
  conditionsOf,
} from "./filters.ts";
import { EVENTS_OF_EACH, readSets, type StoredSet } from "./sets.ts";
import { matchedSets } from "./versions/matching.ts";

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
  /** There are more change sets to look at. */
  isBehind: boolean;
}

/**
 * A search for a text covers so many change sets, also those that are hidden from the caller. Cursors are sets that the
 * caller sees: whatever is hidden, they stay the same until the caller sees something new.
 */
const WINDOW = 20_000;
/** The same for conditions on the records before and after. */
const WINDOW_OF_VERSIONS = 2_000;

export type ReadRequest = ChangeListRequest & { after?: number; before?: number; wait?: number };

/** The parameters of a URL. */
export function readRequest(params: URLSearchParams): ReadRequest {
  const { after, before, wait, per_page, ...filters } = readQuery(changesQuery, params);
  checkFilters(filters);
  if (wait !== undefined && after === undefined) throw invalid("wait", "Use wait with after");
  if (after !== undefined && before !== undefined) {
    throw invalid("after", "Use after or before, not both");
  }
  return {
    filters,
    most: Math.min(per_page, MOST_PER_PAGE),
    ...(after !== undefined && { after: readCursor(after) ?? 0 }),
    ...(before !== undefined && { before: readCursor(before) ?? 0 }),
    ...(wait !== undefined && { wait }),
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
  const window = windowOf(conditions);
  let end = before ?? (window === undefined ? undefined : (await newestSeen(caller)) + 1);
  for (;;) {
    const [from, to] = [end === undefined || window === undefined ? 0 : end - window, end];
    const extent = (id: SQL) => [
      ...(to === undefined ? [] : [sql`${id} < ${to}`]),
      ...(from > 0 ? [sql`${id} >= ${from}`] : []),
    ];
    const { sets: found, read } = await readMatching(caller, conditions, {
      extent,
      order: "newest",
      most: most + 1,
      events: events ?? EVENTS_OF_EACH,
    });
    const sets = found.slice(0, most);
    if (found.length > most) return { sets, before: sets.at(-1)?.id };
    if (read !== undefined) return { sets, before: read };
    if (from <= 0) return { sets, before: undefined };
    const last = await seenSet(caller, extent, "oldest");
    if (last !== undefined) return { sets, before: last };
    // All of the window is hidden from the caller.
    const next = await seenSet(caller, (id) => [sql`${id} < ${from}`], "newest");
    if (next === undefined) return { sets, before: undefined };
    end = next + 1;
  }
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
  if (!conditions) return { sets: [], cursor: after, isBehind: false };
  const committed = await committedUpToId("change_sets");
  if (after > committed && (await isUnknown(after))) throw invalid("after", BEGIN_AGAIN);
  const window = windowOf(conditions) ?? committed;
  for (let begin = after; ; ) {
    const from = begin;
    const upTo = Math.min(committed, from + window);
    const extent = (id: SQL) => [sql`${id} > ${from}`, sql`${id} <= ${upTo}`];
    const { sets, read } = await readMatching(caller, conditions, {
      extent,
      order: "oldest",
      most,
      events: events ?? EVENTS_OF_EACH,
    });
    const last = sets.at(-1)?.id ?? after;
    if (sets.length === most) return { sets, cursor: last, isBehind: true };
    if (read !== undefined) return { sets, cursor: read, isBehind: true };
    const seen = isFiltered(conditions) ? await seenSet(caller, extent, "newest") : undefined;
    const cursor = seen ?? last;
    if (upTo === committed) return { sets, cursor, isBehind: false };
    if (cursor > after) return { sets, cursor, isBehind: true };
    // All of the window is hidden from the caller.
    const beyond = (id: SQL) => [sql`${id} > ${upTo}`, sql`${id} <= ${committed}`];
    const next = await seenSet(caller, beyond, "oldest");
    if (next === undefined) return { sets, cursor, isBehind: false };
    begin = next - 1;
  }
}

/**
 * Whether the database has never had this change set: it went back to an earlier time, and gives the number to another one.
 * A replica may only be late.
 */
export async function isUnknown(change_set: number): Promise<boolean> {
  const found = await database.row<{ so: boolean }>(sql`
    select case when pg_is_in_recovery() then false
      else ${change_set} > last_drawn_id('change_sets') end as so`);
  return found?.so ?? false;
}

/** What a reader with such a cursor is told. */
export const BEGIN_AGAIN =
  "Begin again, as with after=0&from=2026-01-31: the database went back to a time before this change";

/** The last change set up to which all are committed: what a reader that continues there gets is complete. */
export function committedChanges(): Promise<number> {
  return committedUpToId("change_sets");
}

interface ChangesBetween {
  sets: StoredSet[];
  /** Everything up to this change set has been read. The caller may not see it. */
  readUpTo: number;
}

/** The change sets after one up to another one, which must be committed, the oldest first. */
export async function changesBetween(
  caller: Caller,
  { filters, most, after, upTo }: ChangeListRequest & { after: number; upTo: number },
): Promise<ChangesBetween> {
  const conditions = after < upTo ? await conditionsOf(filters) : undefined;
  if (!conditions) return { sets: [], readUpTo: upTo };
  // Nobody sees where it ends.
  const end = Math.min(upTo, after + (windowOf(conditions) ?? upTo));
  const { sets, read } = await readMatching(caller, conditions, {
    extent: (id) => [sql`${id} > ${after}`, sql`${id} <= ${end}`],
    order: "oldest",
    most,
    events: EVENTS_OF_EACH,
  });
  if (sets.length === most) return { sets, readUpTo: sets.at(-1)?.id ?? end };
  return { sets, readUpTo: read ?? end };
}

/** The newest change set up to one that the caller sees; 0 if there is none. */
export function newestChange(caller: Caller, upTo: number): Promise<number> {
  return newestSeen(caller, (id) => [sql`${id} <= ${upTo}`]);
}

/** Of these change sets, those that the caller sees and that match the filters, the oldest first. */
export async function matchingSets(
  caller: Caller,
  filters: ChangeFilters,
  ids: readonly number[],
): Promise<StoredSet[]> {
  const conditions = await conditionsOf(filters);
  if (!conditions || ids.length === 0) return [];
  const all: StoredSet[] = [];
  let left = ids;
  while (left.length > 0) {
    const ids = integers(left);
    const { sets, read } = await readMatching(caller, conditions, {
      extent: (id) => [sql`${id} = any(${ids})`],
      order: "oldest",
      most: left.length,
      events: EVENTS_OF_EACH,
    });
    all.push(...sets);
    left = read === undefined ? [] : left.filter((id) => id > read);
  }
  return all;
}

interface MatchingQuery {
  extent: IdRange;
  order: "newest" | "oldest";
  most: number;
  events: number;
}

interface MatchingPage {
  sets: StoredSet[];
  /** The last set that was looked at, if the search ended early. */
  read?: number | undefined;
}

/** The sets in this extent that the caller sees and that match. */
async function readMatching(
  caller: Caller,
  conditions: Conditions,
  { extent, order, most, events }: MatchingQuery,
): Promise<MatchingPage> {
  const read = (where: SQL) =>
    readSets(database.rows, caller, { where, order, most, events: { most: events } });
  if (conditions.versions.length === 0) {
    return { sets: await read(matching(caller, conditions, extent)) };
  }
  const where = sql.join([sql`true`, ...extent(sql`sets.id`), ...conditions.sets], sql` and `);
  const beyond = order === "newest" ? sql`<` : sql`>`;
  const found = await matchedSets({
    caller,
    filters: conditions.versions,
    sets: (last) => (last === undefined ? where : sql`${where} and sets.id ${beyond} ${last}`),
    changes: {
      from: conditions.needsNames ? FROM : ONLY_CHANGES,
      where: sql.join([visibleChange(caller), ...conditions.changes], sql` and `),
    },
    order,
    most,
  });
  const sets = found.ids.length > 0 ? await read(sql`sets.id = any(${integers(found.ids)})`) : [];
  return { sets, read: found.read };
}

const MOST_COUNTED = 10_000;

/** The number of matches; undefined if there are too many to count, or a filter would have to read them all. */
export function countChanges(caller: Caller, filters: ChangeFilters): Promise<number | undefined> {
  return onReplica(() => count(caller, filters));
}

async function count(caller: Caller, filters: ChangeFilters): Promise<number | undefined> {
  const conditions = await conditionsOf(filters);
  if (!conditions) return 0;
  if (conditions.versions.length > 0) return undefined;
  if (conditions.isSlow && (await newestSeen(caller)) > WINDOW) return undefined;
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

function isFiltered({ sets, changes, versions }: Conditions): boolean {
  return sets.length + changes.length + versions.length > 0;
}

/** Undefined if indexes find all that match. */
function windowOf({ isSlow, versions }: Conditions): number | undefined {
  if (versions.length > 0) return WINDOW_OF_VERSIONS;
  return isSlow ? WINDOW : undefined;
}

/** 0 if the caller sees none. */
async function newestSeen(caller: Caller, extent?: IdRange): Promise<number> {
  return (await seenSet(caller, extent, "newest")) ?? 0;
}

/** The first set in this order that the caller sees, whether it matches or not. */
async function seenSet(
  caller: Caller,
  extent: IdRange | undefined,
  order: "newest" | "oldest",
): Promise<number | undefined> {
  const all = { sets: [], changes: [], versions: [], isSlow: false, needsNames: false };
  const found = await database.row<{ id: number }>(sql`
    select sets.id::int from change_sets sets where ${matching(caller, all, extent)}
    order by sets.id ${order === "newest" ? sql`desc` : sql``} limit 1`);
  return found?.id;
}
