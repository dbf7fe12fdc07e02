// Which changes the watches of a user match, of those that the user sees at this moment.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { EVENT, FROM, ONLY_CHANGES, PARTS, visibleChange } from "../../history/change_sql.ts";
import { type EventRow, withDifferences } from "../../history/events.ts";
import { conditionsOf } from "../../history/filters.ts";
import type { ChangeCount } from "../../history/sets.ts";
import { recordsMatching } from "../../history/versions/matching.ts";
import { recordsOfChanges } from "../../history/versions/records.ts";
import type { RecordInSet } from "../../history/versions/versions.ts";
import type { SetSummary } from "../../history/words.ts";
import { Refusal } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { MOST_SEARCHED_CHANGES } from "../../input/limits.ts";
import { changesOfParts, type PartOf } from "../../store/past/parts.ts";
import { searchOf } from "./searches.ts";

/** A watch with the search that it is for. */
export interface StoredWatch {
  id: number;
  table_name: string;
  row_id: number | null;
  list: string | null;
  query: string | null;
  mailed_up_to: number;
}

export const STORED_WATCH = sql`
  watches.id, table_name, row_id, list, query, mailed_up_to::float8 as mailed_up_to`;
/** A search of somebody else counts as long as it is shared. */
export const FROM_WATCHES = sql`watches left join searches
  on searches.id = search_id and (searches.user_id = watches.user_id or shared)`;

/** Which changes to look at: those of some change sets, or some changes. */
export type ChangeExtent =
  | { upTo: number; after: (watch: StoredWatch) => number }
  | { changes: readonly number[] };

export interface MatchRequest {
  watches: readonly StoredWatch[];
  extent: ChangeExtent;
  /** Those of the caller, too. */
  ownChanges: boolean;
  order: "oldest" | "newest";
  most: number;
}

export interface MatchedChange {
  id: number;
  change_set: number;
  table_name: string;
  action: ChangeCount["action"];
}

/** Days after which a change is no news. */
const NEWS_DAYS = 7;
const isNews = sql`changes.at > now() - make_interval(days => ${NEWS_DAYS})`;

export async function matchingChanges(
  caller: Caller,
  { watches, extent, ownChanges, order, most }: MatchRequest,
): Promise<MatchedChange[]> {
  const each = await branches(caller, watches, extent);
  if (each.length === 0) return [];
  const own = ownChanges ? sql`true` : sql`changes.user_id is distinct from ${caller.id}`;
  return database.rows<MatchedChange>(sql`
    select changes.id::float8 as id, change_set::int, table_name, action ${ONLY_CHANGES}
    where changes.id = any(array(${sql.join(each, sql` union `)})) and ${visibleChange(caller)} and ${own}
      and change_set is not null and ${isNews}
    order by changes.id ${order === "oldest" ? sql`` : sql`desc`} limit ${most}`);
}

/** Statements that select the ids of changes. */
async function branches(
  caller: Caller,
  watches: readonly StoredWatch[],
  extent: ChangeExtent,
): Promise<SQL[]> {
  const records = Map.groupBy(
    watches.filter(({ row_id }) => row_id !== null),
    (watch) => `${watch.table_name} ${"upTo" in extent ? extent.after(watch) : ""}`,
  );
  const ofRecords = [...records.values()].flatMap((alike) => ofRecordsOf(alike, extent));
  const searches = watches.filter(({ list }) => list !== null);
  const ofSearches: SQL[][] = [];
  for (const watch of searches) ofSearches.push(await ofSearch(caller, watch, extent));
  return [...ofRecords, ...ofSearches.flat()];
}

/** Of watches of one table with the same extent. */
function ofRecordsOf(alike: StoredWatch[], extent: ChangeExtent): SQL[] {
  const [first] = alike;
  if (!first) return [];
  const table = first.table_name;
  const ids = integers(alike.flatMap(({ row_id }) => row_id ?? []));
  const within = rangeOf(first, extent);
  const select = (where: SQL) => sql`select id from changes where ${where} and ${within}`;
  const own = select(sql`table_name = ${table} and row_id = any(${ids})`);
  const partsOf = (part: PartOf) => changesOfParts(part, sql`= any(${ids})`, within);
  const parts = (PARTS[table] ?? []).map(partsOf);
  if (table !== "networks") return [own, ...parts];
  return [own, partsOf(["interfaces", "network_id"]), select(ofHostsIn(ids))];
}

/** Changes of the hosts that have an interface in these networks, or had one lately. */
function ofHostsIn(networks: SQL): SQL {
  const hosts = sql`
    select host_id from interfaces where network_id = any(${networks})
    union select (before ->> 'host_id')::integer from changes
      where table_name = 'interfaces' and action <> 'insert' and (before ->> 'network_id')::integer = any(${networks})
        and at > now() - make_interval(days => ${NEWS_DAYS})`;
  return sql`table_name = 'hosts' and row_id = any(array(${hosts}))`;
}

/** Searches look at records before and after their changes: the newest of many. */
async function ofSearch(caller: Caller, watch: StoredWatch, extent: ChangeExtent): Promise<SQL[]> {
  const found = searchIn(watch);
  if (!found) return [];
  const { table, text } = found;
  const within = rangeOf(watch, extent);
  const conditions = await conditionsOf({
    kind: [table],
    ...(text !== undefined && { query: text }),
  }).catch(unlessRefused);
  const [filter] = conditions?.versions ?? [];
  if (!conditions) return [];
  if (!filter) {
    const where = sql.join([within, ...conditions.changes], sql` and `);
    return [sql`select changes.id ${ONLY_CHANGES} where ${where}`];
  }
  const candidates = await database.rows<RecordInSet & { id: number }>(sql`
    select changes.id::float8 as id, change_set::int, record, root ${ONLY_CHANGES} ${recordsOfChanges(table)}
    where ${within} and root is not null and ${visibleChange(caller)} and ${isNews}
    order by changes.id desc limit ${MOST_SEARCHED_CHANGES}`);
  const matched = await recordsMatching(caller, filter, distinct(candidates));
  const keys = new Set(matched.map(keyOf));
  const ids = candidates.filter((one) => keys.has(keyOf(one))).map(({ id }) => id);
  return [sql`select unnest(${integers(ids)})`];
}

function distinct(records: readonly RecordInSet[]): RecordInSet[] {
  return [...new Map(records.map((one) => [keyOf(one), one])).values()].map(
    ({ change_set, record, root }) => ({ change_set, record, root }),
  );
}

function keyOf({ change_set, record }: Pick<RecordInSet, "change_set" | "record">): string {
  return `${change_set} ${record}`;
}

/** Undefined if the search was changed since, to one that cannot be watched. */
function searchIn({ list, query }: StoredWatch) {
  try {
    return searchOf({ list: list ?? "", query: query ?? "" });
  } catch (error) {
    return unlessRefused(error);
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
  return undefined;
}

function rangeOf(watch: StoredWatch, extent: ChangeExtent): SQL {
  if ("changes" in extent) return sql`changes.id = any(${integers(extent.changes)})`;
  return sql`change_set > ${extent.after(watch)} and change_set <= ${extent.upTo}`;
}

export interface NoticedSet extends SetSummary {
  at: string;
  user: string | null;
}

/** The change sets of these changes, in their order, with only these changes in them. */
export async function readMatchedSets(
  caller: Caller,
  matched: readonly MatchedChange[],
  most: number,
): Promise<NoticedSet[]> {
  const shown = matched.slice(0, most);
  const rows = await database.rows<EventRow & { id: number }>(sql`
    select changes.id::float8 as id, ${EVENT}, before, after ${FROM}
    where changes.id = any(${integers(shown.map(({ id }) => id))}) and ${visibleChange(caller)}`);
  const events = await withDifferences(database.rows, caller, rows);
  const byChange = new Map(rows.map(({ id }, at) => [id, events[at]]));
  const bySet = Map.groupBy(shown, ({ change_set }) => change_set);
  const counts = Map.groupBy(matched, ({ change_set }) => change_set);
  return [...bySet].flatMap(([id, changes]) => {
    const own = changes
      .toSorted((one, other) => one.id - other.id)
      .flatMap((change) => byChange.get(change.id) ?? []);
    const [first] = own;
    return first
      ? [{ id, at: first.at, user: first.user, events: own, ...countsOf(counts.get(id) ?? []) }]
      : [];
  });
}

function countsOf(changes: MatchedChange[]): { counts: ChangeCount[]; total: number } {
  const alike = Map.groupBy(changes, ({ table_name, action }) => `${table_name} ${action}`);
  const counts = [...alike.values()].flatMap((own) =>
    own.slice(0, 1).map(({ table_name, action }) => {
      return { table_name, action, count: own.length, events: own.length };
    }),
  );
  return { counts, total: changes.length };
}
