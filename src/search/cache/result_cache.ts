// The cache of search results: the set of keys that one term of a query finds, if that is large or
// took long to find.
//
// One rule decides whether an entry is valid. Each entry says up to which change it is true. A
// search reads the records that have changed since in the same snapshot as everything else it looks
// up, and evaluates its terms anew for these records only; after too many changes it drops the
// entry. So results are exact on every instance, whichever one has written.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { isOnReplica } from "../../../db/servers.ts";
import { integers } from "../../input/keys.ts";
import type { Tracked } from "../document.ts";
import { inOneSnapshot, slowSearch } from "../limits.ts";
import {
  countKeys,
  decodeKeys,
  difference,
  EMPTY,
  type KeySet,
  keysInSet,
  setOf,
  union,
} from "./key_set.ts";

/** Statements that together select the keys that one term finds. */
export interface KeyQuery {
  /** The same name means the same query. */
  name: string;
  /** Written only if they are sent. */
  statements: () => readonly SQL[];
  /** Reads whole tables: it runs apart from the others, and may take too long. */
  isSlow: boolean;
}

/** What the statement Tracked.changedSince() selects. */
export interface ChangedRecords {
  /** Keys, as int4send() writes them. */
  ids: Uint8Array | null;
  /** There are more, or it is unknown which. */
  is_more: boolean;
}

/** The records that have changed between two changes. */
export interface ChangedKeys {
  /** They changed after this change. */
  after: number;
  upTo: number | undefined;
  keys: KeySet;
}

interface KeySets {
  /** By the names of their queries, all from one snapshot. */
  sets: Map<string, KeySet>;
  /** The changes that were read, if any. */
  changes?: ChangedKeys | undefined;
}

interface CacheEntry {
  keys: KeySet;
  /** All changes up to this one are in it. An entry without it serves one search. */
  upTo: number | undefined;
}

/** Sets with more keys are cached; smaller ones are found as quickly as the changes since. */
export const LARGE = 100;
const MOST_BYTES = 24 * 2 ** 20;
const TRIES = 4;

const entries = new Map<string, CacheEntry>();
let bytes = 0;

onOpen(() => {
  entries.clear();
  bytes = 0;
});

/** The key sets of tracked records. */
export async function cachedKeySets(
  queries: readonly KeyQuery[],
  { tracked, until }: { tracked: Tracked; until: number },
): Promise<KeySets> {
  // Entries say up to which change of the primary they are true.
  if (isOnReplica()) return { sets: await freshKeySets(queries, until) };
  let changed = EMPTY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const upTo = await committedUpTo();
    const known = await knownSets(queries, { upTo, until });
    const found = await lookUp(queries, { known, changed, tracked, until });
    if (found === "too many changes") {
      for (const name of known.keys()) drop(name);
    } else if (countKeys(difference(found.changed, changed)) > 0) {
      changed = union(changed, found.changed);
    } else {
      for (const { name, isSlow } of queries) {
        const keys = found.sets.get(name) ?? EMPTY;
        if (isSlow || countKeys(keys) > LARGE) keep(name, { keys, upTo });
      }
      const { sets, after } = found;
      return { sets, changes: after === undefined ? undefined : { after, upTo, keys: changed } };
    }
  }
  return { sets: await freshKeySets(queries, until) };
}

/** The key sets of records that are not tracked, or change faster than one can follow. */
export async function freshKeySets(
  queries: readonly KeyQuery[],
  until: number,
): Promise<Map<string, KeySet>> {
  const slow = queries.filter(({ isSlow }) => isSlow);
  const { found } = await readAll(
    queries.filter(({ isSlow }) => !isSlow),
    { until },
  );
  for (const { name, statements } of slow) {
    found.set(name, await readSlowly(statements(), until));
  }
  return found;
}

/** The entries of the cache, and the results of slow queries that have none. */
async function knownSets(
  queries: readonly KeyQuery[],
  { upTo, until }: { upTo: number | undefined; until: number },
): Promise<Map<string, CacheEntry>> {
  const known = new Map<string, CacheEntry>();
  for (const { name, statements, isSlow } of queries) {
    const before = entries.get(name);
    if (before) known.set(name, before);
    else if (isSlow) {
      const entry = { keys: await readSlowly(statements(), until), upTo };
      known.set(name, entry);
      // Kept at once, so that it is not read again if much is written before the others are found.
      keep(name, entry);
    }
  }
  return known;
}

async function readSlowly(statements: readonly SQL[], until: number): Promise<KeySet> {
  const statement = keysOf(statements);
  const [row] = statement ? await slowSearch<Keys>(statement, until) : [];
  return keySetOf(row);
}

interface CacheLookup {
  known: ReadonlyMap<string, CacheEntry>;
  /** Records for which the cached sets are known to be invalid. */
  changed: KeySet;
  tracked: Tracked;
  until: number;
}

interface CacheLookupResult {
  sets: Map<string, KeySet>;
  /** They changed after this change. */
  after: number | undefined;
  changed: KeySet;
}

/**
 * In one snapshot: unknown sets, known sets for the changed records, and which records have
 * changed.
 */
async function lookUp(
  queries: readonly KeyQuery[],
  { known, changed, tracked, until }: CacheLookup,
): Promise<CacheLookupResult | "too many changes"> {
  const after = oldest([...known.values()]);
  const wanted = queries.filter(({ name }) => !known.has(name) || changed.length > 0);
  const { changes, found } = await readAll(wanted, {
    ...(after !== undefined && { changes: tracked.changedSince(after) }),
    only: ({ name }) => (known.has(name) ? changed : undefined),
    until,
  });
  if (changes?.is_more) return "too many changes";
  const sets = queries.map(({ name }): [string, KeySet] => {
    const fresh = found.get(name) ?? EMPTY;
    const before = known.get(name);
    return [name, before ? union(difference(before.keys, changed), fresh) : fresh];
  });
  return { sets: new Map(sets), after, changed: keySetOf(changes) };
}

interface CacheRead {
  /** The statement that selects ChangedRecords. */
  changes?: SQL;
  /** The keys to which a query is limited. */
  only?: (query: KeyQuery) => KeySet | undefined;
  until: number;
}

/** Each row becomes a set at once: as keys, many large results would fill the memory. */
async function readAll(
  queries: readonly KeyQuery[],
  { changes: statement, only, until }: CacheRead,
): Promise<{ changes: ChangedRecords | undefined; found: Map<string, KeySet> }> {
  if (queries.length === 0) {
    const [[changes] = []] = statement
      ? await database.rowsInSnapshot<ChangedRecords>([statement])
      : [];
    return { changes, found: new Map() };
  }
  let changes: ChangedRecords | undefined;
  const found = new Map<string, KeySet>();
  const statements = queries.map((one) => () => keysOf(one.statements(), only?.(one)));
  await inOneSnapshot<ChangedRecords>([() => statement, ...statements], {
    until,
    take: ([row], at) => {
      const query = queries[at - 1];
      if (query) found.set(query.name, keySetOf(row));
      else changes = row;
    },
  });
  return { changes, found };
}

/** The first change that some of these entries do not have. */
function oldest(known: readonly CacheEntry[]): number | undefined {
  const marks = known.flatMap(({ upTo }) => upTo ?? []);
  return marks.length > 0 ? Math.min(...marks) : undefined;
}

interface Keys {
  ids: Uint8Array | null;
}

/** One statement for all of these; undefined if they can find nothing. */
function keysOf(statements: readonly SQL[], only?: KeySet): SQL | undefined {
  if (statements.length === 0) return undefined;
  const which = only ? sql`where id = any(${integers(keysInSet(only))})` : sql``;
  return sql`select string_agg(int4send(id::integer), '') as ids
    from (${sql.join([...statements], sql` union all `)}) found (id) ${which}`;
}

export function keySetOf(row: Keys | undefined): KeySet {
  return row?.ids ? setOf(decodeKeys(row.ids)) : EMPTY;
}

// Entries, the least recently used first ----------------------------------------------------------

function keep(name: string, entry: CacheEntry): void {
  drop(name);
  if (entry.upTo === undefined || sizeOf(name, entry) > MOST_BYTES) return;
  entries.set(name, entry);
  bytes += sizeOf(name, entry);
  for (const oldest of entries.keys()) {
    if (bytes <= MOST_BYTES) return;
    drop(oldest);
  }
}

function drop(name: string): void {
  const entry = entries.get(name);
  if (entry) bytes -= sizeOf(name, entry);
  entries.delete(name);
}

/** Names count too: there is no limit to long ones that find nothing. */
function sizeOf(name: string, { keys }: CacheEntry): number {
  return 2 * name.length + keys.byteLength;
}

// The newest change without an earlier one in progress --------------------------------------------

/** Milliseconds. */
const OFTEN = 500;
let committed: { change: number | undefined; at: number } | undefined;

onOpen(() => {
  committed = undefined;
});

/**
 * All changes up to this one are committed or rolled back, so whatever is read from now on contains
 * them. While others write it stays what it was. Undefined where another server writes.
 */
export async function committedUpTo(): Promise<number | undefined> {
  if (committed && performance.now() - committed.at < OFTEN) return committed.change;
  const at = performance.now();
  const row = await database.row<{ change: number | null }>(sql`
    select nullif(settled_change(), 0)::float8 as change`);
  committed = { change: row?.change ?? committed?.change, at };
  return committed.change;
}
