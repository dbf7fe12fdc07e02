// Totals of lists. PostgreSQL counts row by row, which takes longer than reading a page of a large table. So a total is
// cached, and after a change it is brought up to date by what was written since: see since.ts.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import type { CountedRows, Since, TotalDifference } from "./difference.ts";
import { sinceOf } from "./since.ts";
import { SNAPSHOT } from "./snapshot.ts";

export type { CountedRows } from "./difference.ts";

/** The total of a snapshot: equal snapshots see the same rows. */
interface CachedTotal {
  total: number;
  snapshot: string;
  until: number;
}

/** The number of rows without what was written after the mark. */
interface Base {
  count: number;
  mark: number;
  edition: string;
  /** When it was counted or moved. */
  at: number;
  until: number;
}

/** For totals that nothing brings up to date. Not longer: operators may write rows with triggers disabled. */
const MINUTE = 60_000;
const LONGEST = 10 * MINUTE;
const MOST_CACHED = 1_000;
/** Characters: statements with the results of a large search are long, and hardly ever sent again. */
const LONGEST_NAME = 20_000;
/** Milliseconds for which the newest mark that can be counted from is known. */
const OFTEN = 500;
/** After more changes, totals are counted from a newer mark. */
const MANY_CHANGES = 50;
/** The same after so many milliseconds: to find what is new, PostgreSQL may read what is new in other tables, too. */
const OLD = 2_000;

const cache = new Map<string, CachedTotal>();
const bases = new Map<string, Base>();
/** Requests that come at once share one count. */
const counting = new Map<string, Promise<void>>();
const advancing = new Set<string>();
const newest = new Map<string, { mark: number | null; at: number }>();

onOpen(() => {
  cache.clear();
  bases.clear();
  newest.clear();
});

/** The number of rows, as seen by this snapshot or by a newer one. */
export async function countRows(list: CountedRows, snapshot: string): Promise<number> {
  const name = database.statementKey(list.matching);
  const cached = cache.get(name);
  if (cached && cached.snapshot === snapshot && cached.until > performance.now()) {
    return cached.total;
  }
  const since = await sinceOf(list);
  const mark = since ? await newestMark(since) : null;
  if (!since || mark === null) return countAll(list, name);
  return (await countOn(name, since, mark)) ?? countFrom(name, since, { list, mark });
}

/** Counts what has changed since the base. Undefined if that is not enough. */
async function countOn(name: string, since: Since, mark: number): Promise<number | undefined> {
  await counting.get(name);
  const base = bases.get(name);
  if (!base || base.until < performance.now()) return undefined;
  const found = await database.genericPlanRow<TotalDifference>(since.after(base.mark));
  if (!found || found.is_unknown || found.edition !== base.edition) return undefined;
  const total = base.count + found.delta;
  keep(cache, name, { total, snapshot: found.snapshot, until: base.until });
  const isFar = found.changes > MANY_CHANGES || base.at + OLD < performance.now();
  if (isFar && mark > base.mark && !advancing.has(name)) {
    advancing.add(name);
    await advance(name, base, { since, mark }).finally(() => advancing.delete(name));
  }
  return total;
}

/** Moves the base to a newer mark: in one snapshot, the total by what was written since both. */
async function advance(
  name: string,
  base: Base,
  { since, mark }: { since: Since; mark: number },
): Promise<void> {
  const [[old], [recent]] = (await database.rowsInSnapshot<TotalDifference>([
    since.after(base.mark),
    since.after(mark),
  ])) as [TotalDifference[], TotalDifference[]];
  if (!old || !recent || old.is_unknown || recent.is_unknown) return;
  if (old.edition !== base.edition || recent.edition !== base.edition) return;
  const count = base.count + old.delta - recent.delta;
  keep(bases, name, { ...base, count, mark, at: performance.now() });
}

/** Counts all rows and keeps the number as a base, if nobody else does so already. */
async function countFrom(
  name: string,
  since: Since,
  { list, mark }: { list: CountedRows; mark: number },
): Promise<number> {
  let total: number | undefined;
  const work = async () => {
    const found = await database.row<TotalDifference & { total: number }>(sql`
      select (select count(*)::int ${list.matching}) as total, changed.* from (${since.after(mark)}) changed`);
    if (!found) return;
    total = found.total;
    const at = performance.now();
    const { delta, edition, snapshot, is_unknown: isUnknown } = found;
    keep(cache, name, { total, snapshot, until: at + LONGEST });
    if (isUnknown) bases.delete(name);
    else keep(bases, name, { count: total - delta, mark, edition, at, until: at + LONGEST });
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

/** The newest mark that totals can be counted from; null if there is none now. */
async function newestMark({ newest: query }: Since): Promise<number | null> {
  const name = database.statementKey(query);
  const known = newest.get(name);
  if (known && performance.now() - known.at < OFTEN) return known.mark;
  const at = performance.now();
  const found = await database.row<{ mark: number | null }>(query);
  const mark = found?.mark ?? known?.mark ?? null;
  newest.set(name, { mark, at });
  return mark;
}
