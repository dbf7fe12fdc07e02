// Caches figures that are computed from records and their changes, until the next change.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { readFromPrimary } from "../../../db/servers.ts";
import { committedUpTo } from "../../search/cache/result_cache.ts";
import { SNAPSHOT } from "../totals.ts";

/** The newest change, and the transactions that were committed. */
interface CommittedState {
  newest: number;
  snapshot: string;
}

interface CachedFigures extends CommittedState {
  value: Promise<unknown>;
  until: number;
}

/** Changes of another server, after a failover, cannot be compared: no entry lives longer than this. */
const MINUTE = 60_000;
const MOST_CACHED = 100;
const known = new Map<string, CachedFigures>();

onOpen(() => known.clear());

/**
 * The value, computed again only after a change. The same name means the same
 * statements for callers who see the same. The value must not depend on anything that is not in the history.
 */
export function untilChange<Value>(name: string, compute: () => Promise<Value>): Promise<Value> {
  // Of a replica it is not known which changes it has.
  return readFromPrimary(() => cachedUntilChange(name, compute));
}

async function cachedUntilChange<Value>(
  name: string,
  compute: () => Promise<Value>,
): Promise<Value> {
  // In this order: a change that is committed in between makes the entry useless, not wrong.
  const upTo = (await committedUpTo()) ?? 0;
  const current = await committedState();
  const before = known.get(name);
  if (before && isValid(before, current)) return before.value as Promise<Value>;
  const value = compute();
  if (known.size >= MOST_CACHED) known.clear();
  // While writes are in progress, only an equal snapshot proves that nothing was committed since.
  const newest = current.newest === upTo ? upTo : 0;
  known.set(name, { ...current, newest, value, until: performance.now() + MINUTE });
  value.catch(() => known.delete(name));
  return value;
}

function isValid(entry: CachedFigures, { newest, snapshot }: CommittedState): boolean {
  const isSame = entry.snapshot === snapshot || (newest > 0 && entry.newest === newest);
  return isSame && entry.until > performance.now();
}

async function committedState(): Promise<CommittedState> {
  const found = await database.row<CommittedState>(sql`
    select coalesce(max(id), 0)::float8 as newest, ${SNAPSHOT} as snapshot from changes`);
  return found ?? { newest: 0, snapshot: "" };
}
