// Finds out whose mails are due, and puts them into the outbox. Writes know nothing of watches: they are found by reading
// the change sets after a cursor. One process at a time reads on, for as long as it holds the row of the cursor.
import { type SQL, sql } from "drizzle-orm";
import { keepDoing } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onCommit } from "../../../db/commits.ts";
import { ownerCaller } from "../../auth/owner.ts";
import type { Config } from "../../config.ts";
import { PARTS } from "../../history/change_sql.ts";
import { MOST_COUNTED_CHANGES } from "../../input/limits.ts";
import * as log from "../../monitoring/log.ts";
import * as outbox from "../../store/outbox.ts";
import { committedUpToId } from "../../store/paging.ts";
import type { PartOf } from "../../store/past/parts.ts";
import { type MailService, sendingOf } from "./mails.ts";
import { FROM_WATCHES, matchingChanges, STORED_WATCH, type StoredWatch } from "./matches.ts";
import { nextDigest, USABLE } from "./settings.ts";

/** Milliseconds between two looks at what was committed. */
const INTERVAL = 3_000;
/** Seconds that a mail at once waits for further changes. */
const GATHERING = 60;
/** Change sets that are looked at together. */
const BATCH = 500;
const HELD = sql`interval '15 seconds'`;

const holder = crypto.randomUUID();

/** Starts it; returns a function that ends it. Without settings for mails there is nothing to do. */
export function start({
  mail,
  publicUrl,
}: Pick<Config, "mail" | "publicUrl">): () => Promise<void> {
  if (!mail || !publicUrl) return async () => {};
  const service = { settings: mail, origin: publicUrl.origin };
  const read = async () => {
    await look();
    await composeDue();
  };
  const reading = keepDoing("Notices were not made", read, { apart: INTERVAL });
  const stopListening = onCommit(reading.wake);
  const sending = outbox.start(sendingOf(service));
  return async () => {
    stopListening();
    await Promise.all([reading.stop(), sending.stop()]);
  };
}

/** All of it once, and without a wait. */
export async function runOnce(service: MailService): Promise<void> {
  await look();
  await composeDue();
  await outbox.doAll(sendingOf(service));
}

interface NoticeReader {
  looked_up_to: number;
}

/** Looks at what was committed since, for mails at once. */
async function look(): Promise<void> {
  const upTo = await committedUpToId("change_sets");
  for (;;) {
    const reader = await holdCursor(upTo);
    if (!reader || reader.looked_up_to >= upTo) return;
    const from = reader.looked_up_to;
    const to = Math.min(upTo, from + BATCH);
    for (const user of await concernedUsers(from, to)) await noteIfVisible(user, from, to);
    await database.execute(sql`
      update notice_reader set looked_up_to = ${to}, held_until = now() + ${HELD}
      where holder = ${holder}::uuid and looked_up_to = ${from}`);
  }
}

/** The cursor, if no other process holds it. It is not written while there is nothing new. */
async function holdCursor(upTo: number): Promise<NoticeReader | undefined> {
  const known = await database.row<NoticeReader>(
    sql`select looked_up_to::float8 as looked_up_to from notice_reader`,
  );
  if (known && known.looked_up_to >= upTo) return known;
  const [held] = await database.execute<NoticeReader>(sql`
    insert into notice_reader as one (looked_up_to, holder, held_until)
    values (${upTo}, ${holder}::uuid, now() + ${HELD})
    on conflict (only_row) do update set holder = excluded.holder, held_until = excluded.held_until
    where one.holder = excluded.holder or one.held_until < now()
    returning looked_up_to::float8 as looked_up_to`);
  return held;
}

/** The users whose watches with mails at once some change sets may concern, whatever these users may see of them. */
async function concernedUsers(after: number, upTo: number): Promise<number[]> {
  const within = sql`change_set > ${after} and change_set <= ${upTo}`;
  const rows = await database.rows<{ user_id: number }>(sql`
    with changed as materialized (
      select table_name, row_id, before, after from changes where ${within}
    ), wanted as materialized (
      select user_id, watches.table_name, watches.row_id from watches where mail = 'at_once'
    ), records as materialized (
      ${sql.join(changedRecords(), sql` union `)}
    )
    select user_id from wanted join records on records.kind = wanted.table_name and records.id = wanted.row_id
    union
    select user_id from wanted where row_id is null and exists (select from changed)`);
  return rows.map(({ user_id }) => user_id);
}

/** The changed records, and those that they are or were parts of. */
function changedRecords(): SQL[] {
  const ownersOf = (kind: string, [table, key]: PartOf) =>
    [sql`before`, sql`after`].map(
      (state) =>
        sql`select ${kind}::text, (${state} ->> ${key})::integer from changed where table_name = ${table}`,
    );
  return [
    sql`select table_name as kind, row_id as id from changed`,
    ...Object.entries(PARTS).flatMap(([kind, all]) => all.flatMap((part) => ownersOf(kind, part))),
    ...ownersOf("networks", ["interfaces", "network_id"]),
    sql`select 'networks', network_id from changed join interfaces on host_id = changed.row_id
      where changed.table_name = 'hosts'`,
  ];
}

/**
 * Whether something is visible decides when the mail is due: what is hidden does not show in its time either. If that
 * cannot be found out now, it is found out when the mail is made.
 */
async function noteIfVisible(user: number, from: number, upTo: number): Promise<void> {
  const found = await findFor(user, { mail: "at_once", from, upTo, most: 1 }).catch((error) => {
    log.warn("The watches of a user were not looked at", { user, error: String(error) });
    return undefined;
  });
  if (found?.changes.length === 0) return;
  await database.execute(sql`
    update notice_settings set mail_at = coalesce(mail_at, now() + make_interval(secs => ${GATHERING}))
    where user_id = ${user}`);
}

interface FoundForUser {
  changes: number[];
  watches: StoredWatch[];
}

interface ChangesToFind {
  mail: string;
  /** Not before this change set, whatever was mailed. */
  from?: number;
  upTo: number;
  most: number;
}

async function findFor(
  user: number,
  { mail, from = 0, upTo, most }: ChangesToFind,
): Promise<FoundForUser> {
  const [caller, settings, watches] = await Promise.all([
    ownerCaller(user),
    database.row<{ own_changes: boolean }>(sql`
      select own.own_changes from users join notice_settings own on own.user_id = users.id
      where users.id = ${user} and ${USABLE}`),
    database.rows<StoredWatch>(sql`
      select ${STORED_WATCH} from ${FROM_WATCHES} where watches.user_id = ${user} and mail = ${mail}`),
  ]);
  if (!caller || !settings) return { changes: [], watches };
  const matched = await matchingChanges(caller, {
    watches,
    extent: { upTo, after: ({ mailed_up_to }) => Math.max(from, mailed_up_to) },
    ownChanges: settings.own_changes,
    order: "oldest",
    most,
  });
  return { changes: matched.map(({ id }) => id), watches };
}

interface DueUser {
  user_id: number;
  at_once: boolean;
  daily: boolean;
}

const IS_DUE = sql`mail_at <= now() as at_once, digest_at <= now() as daily`;
const MOST_DUE = 100;

async function composeDue(): Promise<void> {
  // A mail that could not be sent holds up the next one, which then has all that happened meanwhile.
  const due = await database.rows<{ user_id: number }>(sql`
    select user_id from (
      select user_id from notice_settings where mail_at <= now()
      union select user_id from notice_settings where digest_at <= now()
    ) due
    where not exists (
      select from mails where mails.user_id = due.user_id and status = 'waiting' and kind = 'changes' and attempts > 0)
    limit ${MOST_DUE}`);
  for (const { user_id } of due) {
    await compose(user_id).catch(async (error) => {
      log.warn("The mail of a user was not made", { user: user_id, error: String(error) });
      // The others come first.
      await database.execute(sql`
        update notice_settings set mail_at = mail_at + interval '5 minutes',
          digest_at = digest_at + interval '5 minutes' where user_id = ${user_id}`);
    });
  }
}

/** The mails of a user that are due: the outbox gets them as the cursors of the watches move, or neither happens. */
async function compose(user: number): Promise<void> {
  await database.transaction(async (tx) => {
    const [due] = await tx.execute<DueUser & Record<string, unknown>>(sql`
      select user_id, ${IS_DUE} from notice_settings where user_id = ${user} for update skip locked`);
    if (!due?.at_once && !due?.daily) return;
    // Read under the lock: what is committed later makes the next mail due.
    const upTo = await committedUpToId("change_sets");
    const choices = [...(due.at_once ? ["at_once"] : []), ...(due.daily ? ["daily"] : [])];
    for (const mail of choices) {
      const { changes, watches } = await findFor(user, { mail, upTo, most: MOST_COUNTED_CHANGES });
      const ids = `{${watches.map(({ id }) => id).join()}}`;
      if (changes.length > 0) {
        await tx.execute(sql`
          insert into mails (user_id, kind, changes, watches)
          values (${user}, 'changes', ${`{${changes.join()}}`}::text::bigint[], ${ids}::text::integer[])`);
      }
      await tx.execute(sql`
        update watches set mailed_up_to = greatest(mailed_up_to, ${upTo}) where id = any(${ids}::text::integer[])`);
    }
    await tx.execute(sql`
      update notice_settings set
        mail_at = case when ${due.at_once ?? false}::boolean then null else mail_at end,
        digest_at = case when ${due.daily ?? false}::boolean then ${nextDigest()} else digest_at end
      where user_id = ${user}`);
  });
}
