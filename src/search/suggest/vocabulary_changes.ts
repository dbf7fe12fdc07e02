// The texts that have been written since the word lists were read. Transactions commit in another
// order than they draw the ids of their changes, so changes are read again until all transactions
// that were under way have ended.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { composed } from "../../input/text.ts";
import { wordsOf } from "../language/words.ts";

export interface VocabularyChanges {
  /** The database and its schema; another one after a restore, and each minute on a replica. */
  place: string;
  /** Changes up to this one have been read or were rolled back. */
  settled: number;
  /**
   * The newest change at some time and the transactions under way then: when they have ended, all
   * changes up to it are settled.
   */
  unsettled: { newest: number; writers: readonly string[] } | undefined;
  /** Texts and their words in lower case. */
  texts: Set<string>;
  /** The same by the columns that they were written to. */
  byColumn: Map<string, Set<string>>;
}

interface ChangesRead {
  place: string;
  newest: number;
  /** Transactions that write; a replica knows none, see `place`. */
  writers: string;
  is_replica: boolean;
  states: string;
  full_names: string;
}

/** With more changes it is quicker to read the lists again. */
const MOST_CHANGES = 5_000;
const TRIES = 25;
const PAUSE = 20;

/** Starts to follow changes. Undefined while a transaction has been writing for long. */
export async function followChanges(): Promise<VocabularyChanges | undefined> {
  const { place, newest, writers } = await readSince(undefined);
  let left: string[] = JSON.parse(writers);
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    await Bun.sleep(PAUSE);
    const writing: string[] = JSON.parse((await readSince(undefined)).writers);
    left = left.filter((one) => writing.includes(one));
  }
  if (left.length > 0) return undefined;
  return { place, settled: newest, unsettled: undefined, texts: new Set(), byColumn: new Map() };
}

/**
 * Reads all changes that were committed before the call; false if it is better to read the lists
 * again.
 */
export async function catchUp(
  changes: VocabularyChanges,
  add: (fresh: string[]) => void,
): Promise<boolean> {
  const { unsettled } = changes;
  const seen = await readSince(changes.settled);
  if (seen.place !== changes.place || seen.newest - changes.settled > MOST_CHANGES) return false;
  const fresh: string[] = [];
  for (const [column, value] of valuesIn(seen)) {
    const inColumn = changes.byColumn.get(column) ?? new Set();
    changes.byColumn.set(column, inColumn);
    for (const text of textsIn(value)) {
      if (!changes.texts.has(text)) fresh.push(text);
      changes.texts.add(text);
      inColumn.add(text);
    }
  }
  if (fresh.length > 0) add(fresh);
  settle(changes, unsettled, seen);
  return true;
}

/** If another search has set `unsettled` since this reading began, the reading says nothing about it. */
function settle(
  changes: VocabularyChanges,
  before: VocabularyChanges["unsettled"],
  seen: ChangesRead,
): void {
  const writers: string[] = JSON.parse(seen.writers);
  if (!changes.unsettled && !seen.is_replica && seen.newest > changes.settled) {
    changes.unsettled = { newest: seen.newest, writers };
  } else if (
    changes.unsettled &&
    changes.unsettled === before &&
    !before.writers.some((one) => writers.includes(one))
  ) {
    changes.settled = before.newest;
    changes.unsettled = undefined;
  }
}

// A transaction that writes holds the lock of track() from before it draws an id until its end, and
// locks are read after the snapshot was taken: what is neither seen nor locked has ended since, and
// is seen the next time.
async function readSince(settled: number | undefined): Promise<ChangesRead> {
  const after = settled ?? Number.MAX_SAFE_INTEGER;
  const seen = await database.row<ChangesRead>(sql`
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
  if (!seen) throw new Error("The database has not answered");
  return seen;
}

/** Columns without searchable texts. */
const TIMES = new Set(["created_at", "updated_at"]);

/** New values, with their columns. */
function* valuesIn(seen: ChangesRead): Generator<[column: string, value: unknown]> {
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
  const text = composed(value.toLowerCase());
  return [text, ...wordsOf(text)];
}
