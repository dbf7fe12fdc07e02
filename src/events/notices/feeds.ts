// The feeds of a user: the changes of all watches at an address that is a secret. The database holds its hash.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onReplica } from "../../../db/replica.ts";
import * as audit from "../../auth/audit.ts";
import type { Caller, Visit } from "../../auth/auth.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { sha256 } from "../../auth/secret.ts";
import { MOST_FEED_CHANGES } from "../../input/limits.ts";
import { write } from "../../store/write.ts";
import { confirmUnlessFresh } from "../../user/confirmation.ts";
import { atom, calendar } from "./feed_files.ts";
import {
  FROM_WATCHES,
  matchingChanges,
  readMatchedSets,
  STORED_WATCH,
  type StoredWatch,
} from "./matches.ts";

/** The files at the address of the feeds. */
export const FILES = {
  "changes.atom": { type: "application/atom+xml; charset=utf-8", written: atom },
  "changes.ics": { type: "text/calendar; charset=utf-8", written: calendar },
} as const;
export type FeedFile = keyof typeof FILES;

const SECRET = /^[\w-]{43}$/;
/** Change sets that are looked at: the newest. */
const EXTENT = 50_000;

export function isFeedFile(name: string): name is FeedFile {
  return Object.hasOwn(FILES, name);
}

/** Makes a new address and returns its secret part; the former one ends. */
export async function renewFeeds(caller: Caller, password: string | undefined): Promise<string> {
  await confirmUnlessFresh(caller, password);
  const secret = randomBytes(32).toString("base64url");
  await write(caller, async (tx) => {
    await tx.execute(sql`
      insert into notice_settings (user_id, feed_hash) values (${caller.id}, ${sha256(secret)})
      on conflict (user_id) do update set feed_hash = excluded.feed_hash`);
    await audit.addWithin(tx, { ...audit.auditCaller(caller), event: "feeds.renewed" });
  });
  return secret;
}

export async function endFeeds(caller: Caller): Promise<void> {
  await write(caller, async (tx) => {
    await tx.execute(sql`update notice_settings set feed_hash = null where user_id = ${caller.id}`);
    await audit.addWithin(tx, { ...audit.auditCaller(caller), event: "feeds.ended" });
  });
}

/** The text of a feed, with what its user sees now. Undefined if the secret is of nobody, or of somebody deactivated. */
export async function readFeed(
  secret: string,
  file: FeedFile,
  { origin, visit }: { origin: string; visit: Visit },
): Promise<string | undefined> {
  if (!SECRET.test(secret)) return undefined;
  return onReplica(async () => {
    const own = await database.row<{ user_id: number; own_changes: boolean }>(sql`
      select user_id, own_changes from notice_settings where feed_hash = ${sha256(secret)}`);
    const owner = own && (await ownerCaller(own.user_id));
    if (!owner) return undefined;
    const caller = { ...owner, visit };
    const watches = await database.rows<StoredWatch>(sql`
      select ${STORED_WATCH} from ${FROM_WATCHES} where watches.user_id = ${own.user_id} order by watches.id`);
    const upTo = await newestSet();
    const matched = await matchingChanges(caller, {
      watches,
      extent: { upTo, after: () => upTo - EXTENT },
      ownChanges: own.own_changes,
      order: "newest",
      most: MOST_FEED_CHANGES,
    });
    const sets = await readMatchedSets(caller, matched, MOST_FEED_CHANGES);
    return FILES[file].written({ sets, origin, user: own.user_id });
  });
}

async function newestSet(): Promise<number> {
  const found = await database.row<{ id: number }>(
    sql`select coalesce(max(id), 0)::float8 as id from change_sets`,
  );
  return found?.id ?? 0;
}
