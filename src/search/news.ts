// What has been written since the vocabularies were read. Transactions are saved in another order than that in which
// they drew the ids of their changes: what was still under way is looked for again until it is settled.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { wordsOf } from "./words.ts";

export interface News {
  /** Which database, and which schema in it: after a restore it is another one. */
  place: string;
  /** Changes up to this one are settled: either seen or rolled back. */
  settled: number;
  /** The newest change at a time, and a transaction that began then: once all before that have ended, so have its. */
  mark: { newest: number; transaction: number } | undefined;
  /** Texts and their words, in lower case. */
  texts: Set<string>;
}

interface Seen {
  place: string;
  newest: number;
  oldest: number;
  transaction: number | null;
  states: string;
  full_names: string;
}

/** More of them are read sooner with everything else. */
const MOST_CHANGES = 5_000;
const TRIES = 5;
const PAUSE = 20;

/** From here on. Undefined while somebody has been writing for long: there is no telling what will come of it. */
export async function begin(): Promise<News | undefined> {
  const { place, newest, transaction } = await seenSince(undefined, true);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { oldest } = await seenSince(undefined, false);
    if (transaction !== null && oldest > transaction) {
      return { place, settled: newest, mark: undefined, texts: new Set() };
    }
    await Bun.sleep(PAUSE);
  }
  return undefined;
}

/** All that has been saved before this was called is among its texts; false where it is better to begin anew. */
export async function catchUp(news: News): Promise<boolean> {
  const seen = await seenSince(news.settled, news.mark === undefined);
  if (seen.place !== news.place || seen.newest - news.settled > MOST_CHANGES) return false;
  for (const state of JSON.parse(seen.states)) addTexts(news.texts, state);
  for (const name of JSON.parse(seen.full_names)) news.texts.add(name);
  const { mark } = news;
  if (mark && seen.oldest > mark.transaction) {
    news.settled = Math.max(news.settled, mark.newest);
    news.mark = undefined;
  } else if (!mark && seen.transaction !== null && seen.newest > news.settled) {
    news.mark = { newest: seen.newest, transaction: seen.transaction };
  }
  return true;
}

// The number of a transaction that begins now is drawn after the statement has seen what there is.
async function seenSince(settled: number | undefined, marks: boolean): Promise<Seen> {
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
    select concat_ws(' ', current_database(), 'changes'::regclass::oid) as place,
      coalesce((select max(id) from changes), 0)::float8 as newest,
      pg_snapshot_xmin(pg_current_snapshot())::text::float8 as oldest,
      case when ${marks} then pg_current_xact_id()::text::float8 end as transaction,
      coalesce((select json_agg(after) from recent where after is not null), '[]')::text as states,
      coalesce((select json_agg(full_names.name) from full_names
        where host_id in (select host_id from moved)), '[]')::text as full_names`);
  if (!seen) throw new Error("The database tells nothing of itself");
  return seen;
}

/** Columns of every table, in which nobody looks for a text. */
const TIMES = new Set(["created_at", "updated_at"]);

function addTexts(texts: Set<string>, value: unknown): void {
  if (typeof value === "string") {
    const text = value.toLowerCase();
    texts.add(text);
    for (const word of wordsOf(text)) texts.add(word);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) if (!TIMES.has(name)) addTexts(texts, one);
  }
}
