// What has been written since the vocabularies were read. Transactions are saved in another order than that in which
// they drew the ids of their changes: what was still under way is looked for again until it is settled.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { wordsOf } from "../language/words.ts";

export interface News {
  /** Which database, and which schema in it: after a restore it is another one, and a replica's each minute. */
  place: string;
  /** Changes up to this one are settled: either seen or rolled back. */
  settled: number;
  /** The newest change at a time, and who was writing then: once these have ended, all up to it is settled. */
  mark: { newest: number; writers: readonly string[] } | undefined;
  /** Texts and their words, in lower case, and the columns that they came to. */
  texts: Map<string, Set<string>>;
}

interface Seen {
  place: string;
  newest: number;
  /** Transactions that have drawn, or may draw, the id of a change; a replica knows of none: see place. */
  writers: string;
  is_replica: boolean;
  states: string;
  full_names: string;
}

/** More of them are read sooner with everything else. */
const MOST_CHANGES = 5_000;
const TRIES = 25;
const PAUSE = 20;

/** From here on. Undefined while somebody has been writing for long: there is no telling what will come of it. */
export async function begin(): Promise<News | undefined> {
  const { place, newest, writers } = await seenSince(undefined);
  let left: string[] = JSON.parse(writers);
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    await Bun.sleep(PAUSE);
    const writing: string[] = JSON.parse((await seenSince(undefined)).writers);
    left = left.filter((one) => writing.includes(one));
  }
  if (left.length > 0) return undefined;
  return { place, settled: newest, mark: undefined, texts: new Map() };
}

/** All that has been saved before this was called is among its texts; false where it is better to begin anew. */
export async function catchUp(news: News, tell: (fresh: string[]) => void): Promise<boolean> {
  const { mark } = news;
  const seen = await seenSince(news.settled);
  if (seen.place !== news.place || seen.newest - news.settled > MOST_CHANGES) return false;
  const fresh: string[] = [];
  for (const [column, value] of toldBy(seen)) {
    for (const text of textsIn(value)) {
      const columns = news.texts.get(text);
      if (!columns) fresh.push(text);
      news.texts.set(text, (columns ?? new Set()).add(column));
    }
  }
  if (fresh.length > 0) tell(fresh);
  settle(news, mark, seen);
  return true;
}

/** Another may have set a mark since this was asked: of that it says nothing. */
function settle(news: News, before: News["mark"], seen: Seen): void {
  const writers: string[] = JSON.parse(seen.writers);
  if (!news.mark && !seen.is_replica && seen.newest > news.settled) {
    news.mark = { newest: seen.newest, writers };
  } else if (
    news.mark &&
    news.mark === before &&
    !before.writers.some((one) => writers.includes(one))
  ) {
    news.settled = before.newest;
    news.mark = undefined;
  }
}

// Whoever writes holds the lock of track() from before it draws an id to its end, and is asked for after the
// statement has seen what there is: who is neither seen nor writing has ended since, and is seen the next time.
async function seenSince(settled: number | undefined): Promise<Seen> {
  const after = settled ?? Number.MAX_SAFE_INTEGER;
  const seen = await database.row<Seen>(sql`
    with recent as materialized (
      select id, table_name, row_id, before, after from changes where id > ${after}
      order by id limit ${MOST_CHANGES}
    ), moved as (
      select row_id as host_id from recent where table_name = 'hosts'
      union select (after ->> 'host_id')::integer from recent where table_name = 'interfaces'
      union select (before ->> 'host_id')::integer from recent where table_name = 'interfaces'
      union select interfaces.host_id from recent join interfaces on interfaces.network_id = recent.row_id
        where table_name = 'networks' and before ->> 'domain_id' <> after ->> 'domain_id'
    )
    select concat_ws(' ', current_database(), 'changes'::regclass::oid,
        case when pg_is_in_recovery() then date_trunc('minute', now()) end) as place,
      pg_is_in_recovery() as is_replica,
      coalesce((select max(id) from changes), 0)::float8 as newest,
      to_json(array(select virtualtransaction from pg_locks
        where locktype = 'advisory' and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32) | objid::bigint = hashtextextended('changes', 0)))::text as writers,
      coalesce((select json_agg(json_build_array(table_name, after)) from recent
        where after is not null), '[]')::text as states,
      coalesce((select json_agg(full_names.name) from full_names
        where host_id in (select host_id from moved)), '[]')::text as full_names`);
  if (!seen) throw new Error("The database tells nothing of itself");
  return seen;
}

/** Columns of every table, in which nobody looks for a text. */
const TIMES = new Set(["created_at", "updated_at"]);

/** What came to which column. */
function* toldBy(seen: Seen): Generator<[column: string, value: unknown]> {
  const states: Array<[string, Record<string, unknown>]> = JSON.parse(seen.states);
  for (const [table, state] of states) {
    for (const [name, value] of Object.entries(state)) {
      if (!TIMES.has(name)) yield [`${table}.${name}`, value];
    }
  }
  yield ["full_names.name", JSON.parse(seen.full_names)];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  if (typeof value !== "string") return [];
  const text = value.toLowerCase();
  return [text, ...wordsOf(text)];
}
