// The last answer of each feed. In the database, so that all instances share it and serials never decrease.

import { and, eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/errors.ts";
import { feeds } from "../../../db/tables/network.ts";
import { type FeedState, NEWEST, type ReadFeedState } from "./state.ts";

export interface StoredContent extends FeedState {
  tag: string;
  etag: string;
  serial: number;
  /** When this content was first made. */
  changed_at: Date;
}

type NewContent = FeedState & { tag: string };
type StoredRow = Omit<StoredContent, "etag">;
type RecalledContent = StoredContent & {
  /** The present state, if nothing at all has changed since. */
  now: ReadFeedState | undefined;
};

export async function findStoredContent(key: string): Promise<RecalledContent | undefined> {
  const row = await database.row<StoredRow & { newest: number; is_idle: boolean }>(sql`
    select state, settled::float8 as settled, tag, serial::float8 as serial, changed_at,
      ${NEWEST} as newest,
      asked_at < now() - interval '1 day' and not pg_is_in_recovery() as is_idle
    from feeds where asked = ${key}`);
  if (!row) return undefined;
  if (row.is_idle) await recordUse(key);
  const { state, settled, newest } = row;
  const now = newest === settled ? { state, settled, newest, isQuiet: true } : undefined;
  return { ...withTag(row), now };
}

/** Records that the content is still up to date. */
export async function confirmContent(key: string, { state, settled }: FeedState): Promise<void> {
  if (settled === null) return;
  await database.execute(
    database.build
      .update(feeds)
      .set({ settled })
      .where(and(eq(feeds.asked, key), eq(feeds.state, state))),
  );
}

/**
 * The serial changes with the text. It is the time in seconds, or the last serial plus one, so it does not decrease
 * even if the stored content is lost.
 */
export async function storeContent(key: string, made: NewContent): Promise<StoredContent> {
  const [row] = await upsert(key, made).catch((error) => {
    if (error instanceof DatabaseUnavailable && error.onlyReads) return derive(key, made);
    throw error;
  });
  if (!row) throw new Error("A feed was not stored");
  return withTag(row);
}

function upsert(key: string, made: NewContent): Promise<StoredRow[]> {
  // In SQL: what is kept on a conflict depends on the row that is there.
  return database.execute<StoredRow>(sql`
    insert into feeds (asked, state, settled, tag, serial)
    values (${key}, ${made.state}, ${made.settled}::bigint, ${made.tag}, extract(epoch from now())::bigint)
    on conflict (asked) do update set
      state = excluded.state, settled = excluded.settled, tag = excluded.tag, asked_at = now(),
      serial = case when feeds.tag = excluded.tag then feeds.serial
        else greatest(feeds.serial + 1, excluded.serial) end,
      changed_at = case when feeds.tag = excluded.tag then feeds.changed_at else now() end
    returning state, settled::float8 as settled, tag, serial::float8 as serial, changed_at`);
}

/** On a read-only replica the serial is the time of the newest change, so all replicas give the same answer. */
function derive(key: string, { state, tag }: NewContent): Promise<StoredRow[]> {
  // In SQL: the serial is computed from the newest change and the stored row.
  return database.rows<StoredRow>(sql`
    with newest as (select coalesce(max(at), 'epoch') as at from changes where id = (select max(id) from changes))
    select ${state} as state, null as settled, ${tag} as tag,
      (case when feeds.tag = ${tag} then feeds.serial
        else greatest(feeds.serial + 1, extract(epoch from newest.at)::bigint) end)::float8 as serial,
      case when feeds.tag = ${tag} then feeds.changed_at else newest.at end as changed_at
    from newest left join feeds on feeds.asked = ${key}`);
}

/** Recorded once a day: housekeeping deletes content that is no longer requested. */
async function recordUse(key: string): Promise<void> {
  await database.execute(
    database.build.update(feeds).set({ asked_at: sql`now()` }).where(eq(feeds.asked, key)),
  );
}

function withTag(row: StoredRow): StoredContent {
  return { ...row, etag: `"${row.serial.toString(36)}.${row.tag}"` };
}
