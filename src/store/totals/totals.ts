// Totals of lists. PostgreSQL counts row by row, which takes longer than reading a page of a large table. So a total is
// cached, and after a change it is brought up to date by the rows that were changed since: see since.ts.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { type CountedRows, type Since, sinceOf } from "./since.ts";
import { SNAPSHOT } from "./snapshot.ts";

export type { CountedRows } from "./since.ts";

/** The total of a snapshot: equal snapshots see the same rows. */
interface CachedTotal {
  total: number;
  snapshot: string;
  until: number;
}

/** The number of rows before the changes after `set`, as far as the history tells. */
interface Base {
  count: number;
  set: number;
  server: string;
  /** When it was counted or moved. */
  at: number;
  until: number;
}

/** What the statement of Since selects. */
interface TotalDifference {
  /** The rows that match now, less those that did before the changes. */
  delta: number;
  changes: number;
  is_unknown: boolean;
  server: string;
  snapshot: string;
}

/** For totals that no history brings up to date. Not longer: operators may write rows with triggers disabled. */
const MINUTE = 60_000;
const LONGEST = 10 * MINUTE;
const MOST_CACHED = 1_000;
/** Characters: statements with the results of a large search are long, and hardly ever sent again. */
const LONGEST_NAME = 20_000;
/** Milliseconds for which the newest set that can be counted from is known. */
const OFTEN = 500;
/** After more changes, totals are counted from a newer set. */
const MANY_CHANGES = 50;
/** The same after so many milliseconds: to find what is new, PostgreSQL may read what is new in other tables, too. */
const OLD = 2_000;

const cache = new Map<string, CachedTotal>();
const bases = new Map<string, Base>();
/** Requests that come at once share one count. */
const counting = new Map<string, Promise<void>>();
const advancing = new Set<string>();
let newest: { set: number | null; at: number } | undefined;

onOpen(() => {
  cache.clear();
  bases.clear();
  newest = undefined;
});

/** The number of rows, as seen by this snapshot or by a newer one. */
export async function countRows(list: CountedRows, snapshot: string): Promise<number> {
  const name = database.statementKey(list.matching);
  const cached = cache.get(name);
  if (cached && cached.snapshot === snapshot && cached.until > performance.now()) {
    return cached.total;
  }
  const since = await sinceOf(list);
  const set = since ? await newestSet() : null;
  if (!since || set === null) return countAll(list, name);
  return (await countOn(name, since, set)) ?? countFrom(name, since, { list, set });
}

/** Counts what has changed since the base. Undefined if that is not enough. */
async function countOn(name: string, since: Since, set: number): Promise<number | undefined> {
  await counting.get(name);
  const base = bases.get(name);
  if (!base || base.until < performance.now()) return undefined;
  const found = await database.genericPlanRow<TotalDifference>(since(base.set));
  if (!found || found.is_unknown || found.server !== base.server) return undefined;
  const total = base.count + found.delta;
  keep(cache, name, { total, snapshot: found.snapshot, until: base.until });
  const isFar = found.changes > MANY_CHANGES || base.at + OLD < performance.now();
  if (isFar && set > base.set && !advancing.has(name)) {
    advancing.add(name);
    await advance(name, base, { since, set }).finally(() => advancing.delete(name));
  }
  return total;
}

/** Moves the base to a newer set: in one snapshot, the total by the changes since both. */
async function advance(
  name: string,
  base: Base,
  { since, set }: { since: Since; set: number },
): Promise<void> {
  const [[old], [recent]] = (await database.rowsInSnapshot<TotalDifference>([
    since(base.set),
    since(set),
  ])) as [TotalDifference[], TotalDifference[]];
  if (!old || !recent || old.is_unknown || recent.is_unknown) return;
  if (old.server !== base.server || recent.server !== base.server) return;
  const count = base.count + old.delta - recent.delta;
  keep(bases, name, { ...base, count, set, at: performance.now() });
}

/** Counts all rows and keeps the number as a base, if nobody else does so already. */
async function countFrom(
  name: string,
  since: Since,
  { list, set }: { list: CountedRows; set: number },
): Promise<number> {
  let total: number | undefined;
  const work = async () => {
    const found = await database.row<TotalDifference & { total: number }>(sql`
      select (select count(*)::int ${list.matching}) as total, changed.* from (${since(set)}) changed`);
    if (!found) return;
    total = found.total;
    const at = performance.now();
    const { delta, server, snapshot, is_unknown: isUnknown } = found;
    keep(cache, name, { total, snapshot, until: at + LONGEST });
    if (isUnknown) bases.delete(name);
    else keep(bases, name, { count: total - delta, set, server, at, until: at + LONGEST });
  };
  const own = work().finally(() => {
    if (counting.get(name) === own) counting.delete(name);
  });
  counting.set(
    name,
    own.catch(() => {}),
  );
  await own;
  return total ?? 0;
}

async function countAll({ matching }: CountedRows, name: string): Promise<number> {
  const query = sql`select count(*)::int as total, ${SNAPSHOT} as snapshot ${matching}`;
  const counted = await database.row<Pick<CachedTotal, "total" | "snapshot">>(query);
  if (!counted) return 0;
  keep(cache, name, { ...counted, until: performance.now() + MINUTE });
  return counted.total;
}

function keep<Kept>(into: Map<string, Kept>, name: string, kept: Kept): void {
  if (name.length > LONGEST_NAME) return;
  if (into.size >= MOST_CACHED) into.clear();
  into.set(name, kept);
}

/** The newest set that totals can be counted from; null if there is none now. */
async function newestSet(): Promise<number | null> {
  if (newest && performance.now() - newest.at < OFTEN) return newest.set;
  const at = performance.now();
  const found = await database.row<{ set: number | null }>(sql`
    select counted_set()::float8 as set`);
  newest = { set: found?.set ?? newest?.set ?? null, at };
  return newest.set;
}
