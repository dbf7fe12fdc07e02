// Limits entries of the audit log that a client can cause without limit: refusals, logins, log-outs, exports. The first
// ones of a caller within ten minutes are rows. Further ones are counted on the last of these rows, a few seconds later,
// so that no client fills the disk, and no event is lost.
import { sql } from "drizzle-orm";
import { keepDoing, type Loop } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import { ENTRIES_OF_STRANGERS, tokenBucket } from "../input/limiters.ts";
import { type AuditEntry, add } from "./audit.ts";
import { networkOf } from "./client_network.ts";

/** Rows of one caller and one kind of event, within the milliseconds. */
const MOST_ROWS = 30;
const WINDOW = 10 * 60_000;
const MOST_CALLERS = 10_000;
const FLUSH_INTERVAL = 5_000;
/** For all clients that are not logged in together. */
const strangers = tokenBucket(ENTRIES_OF_STRANGERS);

interface Recent {
  began: number;
  rows: number;
  /** The last row, on which further events are counted. */
  last?: number;
  pending: number;
}

const recents = new Map<string, Recent>();
let flushing: Loop | undefined;

/** Adds an entry, or counts it on an earlier one. */
export async function addLimited(entry: AuditEntry): Promise<void> {
  const recent = recentOf(entry);
  if (recent.rows >= MOST_ROWS || (entry.user_id == null && !strangers.take())) {
    recent.pending += 1;
    flushing ??= keepDoing("Counts are not in the audit log yet", flush, { every: FLUSH_INTERVAL });
    return;
  }
  recent.rows += 1;
  recent.last = await add(entry);
}

/** Writes the counts that are still in memory; what cannot be written is kept for the next time. */
export async function flush(): Promise<void> {
  const now = performance.now();
  const counted = [...recents.values()].filter(({ last, pending }) => last && pending > 0);
  for (const [key, { began }] of recents) if (began + WINDOW <= now) recents.delete(key);
  if (counted.length === 0) return;
  const rows = counted.map(({ last, pending }) => ({ id: last, more: pending }));
  await database.execute(sql`
    update audit_log set count = count + more, last_at = now()
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as counted (id integer, more integer)
    where audit_log.id = counted.id`);
  counted.forEach((one, at) => {
    one.pending -= rows[at]?.more ?? 0;
  });
}

/** Before the database is closed: writes the counts, and forgets the rows, which are of this database. */
export async function finish(): Promise<void> {
  await flushing?.stop();
  flushing = undefined;
  await flush();
  recents.clear();
}

function recentOf({ event, user_id, address }: AuditEntry): Recent {
  const key = `${event} ${user_id ?? networkOf(address ?? "")}`;
  const now = performance.now();
  const known = recents.get(key);
  if (known && known.began + WINDOW > now) return known;
  if (recents.size >= MOST_CALLERS) recents.clear();
  // The counts of the previous window are written under a key of their own.
  if (known && known.pending > 0) recents.set(`${key} ${known.last}`, known);
  const recent: Recent = { began: now, rows: 0, pending: 0 };
  recents.set(key, recent);
  return recent;
}
