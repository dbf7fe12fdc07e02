// How a user learns of changes: the hour of daily mails, whether own changes count, and the address.
import { type Static, Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { notice_settings } from "../../../db/tables/notices.ts";
import type { Caller } from "../../auth/auth.ts";
import { atLeastOne, TRUE_OR_FALSE } from "../../input/shape.ts";
import { type Transaction, write } from "../../store/write.ts";

const HOUR = Type.Integer({
  minimum: 0,
  maximum: 23,
  title: "Hour of daily mails (UTC)",
  description: "Use an hour from 0 to 23, in UTC",
});

export const changedSettings = atLeastOne({
  digest_hour: HOUR,
  own_changes: { ...TRUE_OR_FALSE, title: "My own changes, too" },
});

export const noticeSettings = Type.Object({
  digest_hour: HOUR,
  own_changes: Type.Boolean(),
  address: Type.Union([Type.String(), Type.Null()], {
    description: "Where mails go: the email of the profile",
  }),
  is_confirmed: Type.Boolean({
    description: "Whether its user confirmed it, or an admin or a provider gave it",
  }),
  has_feeds: Type.Boolean({ description: "Whether there are addresses of feeds" }),
});
export type NoticeSettings = Static<typeof noticeSettings>;

/** An address to which mails may be sent, of `users` joined with their settings. */
export const USABLE = sql`(users.email is not null and users.email is distinct from own.unconfirmed
  and not users.is_service)`;

export async function settingsOf({ id }: Caller): Promise<NoticeSettings> {
  const found = await database.row<NoticeSettings>(sql`
    select coalesce(digest_hour, ${DEFAULT_HOUR}) as digest_hour, coalesce(own_changes, false) as own_changes,
      users.email as address, ${USABLE} as is_confirmed, feed_hash is not null as has_feeds
    from users left join notice_settings own on own.user_id = users.id where users.id = ${id}`);
  return found ?? NONE;
}

const DEFAULT_HOUR = sql.raw("6");
const NONE: NoticeSettings = {
  digest_hour: 6,
  own_changes: false,
  address: null,
  is_confirmed: false,
  has_feeds: false,
};

export async function change(
  caller: Caller,
  input: Static<typeof changedSettings>,
): Promise<NoticeSettings> {
  const user_id = caller.id ?? 0;
  await write(caller, async (tx) => {
    await tx
      .insert(notice_settings)
      .values({ user_id, ...input })
      .onConflictDoUpdate({ target: notice_settings.user_id, set: input });
    await tx
      .update(notice_settings)
      .set({ digest_at: nextDigest() })
      .where(eq(notice_settings.user_id, user_id));
  });
  return settingsOf(caller);
}

/** Sees to it that the user has settings, and gets the next daily mail. */
export async function scheduleDigest(tx: Transaction, user_id: number): Promise<void> {
  await tx.execute(sql`
    insert into notice_settings as own (user_id, digest_at) values (${user_id}, ${nextDigest(DEFAULT_HOUR)})
    on conflict (user_id) do update set digest_at = ${nextDigest(sql`own.digest_hour`)}
    where own.digest_at is null`);
}

/** The next time at which this hour begins. */
export function nextDigest(hour: SQL = sql`digest_hour`): SQL {
  const at = (moment: SQL) => sql`(date_trunc('day', ${moment} at time zone 'UTC')
    + make_interval(hours => ${hour})) at time zone 'UTC'`;
  return sql`case when ${at(sql`now()`)} > now() then ${at(sql`now()`)}
    else ${at(sql`(now() + interval '1 day')`)} end`;
}
