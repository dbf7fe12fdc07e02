// The address of a user: one that its user entered gets mails once a mailed link has confirmed it.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { readSigned, signed } from "../../auth/sealed.ts";
import { invalid, tooMany } from "../../input/errors.ts";
import { MOST_CONFIRMATION_MAILS } from "../../input/limits.ts";

export const CONFIRM = "/user/watches/confirm";

const LINK_DAYS = 3;
const DAY = 24 * 60 * 60 * 1_000;

/** The same for each attempt to send it. */
export function confirmationLink(user: number, address: string, from: Date): string {
  const until = from.getTime() + LINK_DAYS * DAY;
  return `${CONFIRM}/${signed(JSON.stringify([user, address, until]), "confirm-address")}`;
}

/** Mails the link again, if the address is not confirmed. */
export async function requestConfirmation({ id }: Caller): Promise<void> {
  await limitMails(id, "confirmation");
  const made = await database.execute(sql`
    insert into mails (user_id, kind)
    select user_id, 'confirmation' from notice_settings join users on users.id = user_id
    where user_id = ${id} and users.email = unconfirmed returning id`);
  if (made.length === 0) throw invalid("email", "There is no address to confirm");
}

/** A mail to the caller, to try the settings. */
export async function requestTest({ id }: Caller): Promise<void> {
  await limitMails(id, "test");
  await database.execute(sql`insert into mails (user_id, kind) values (${id}, 'test')`);
}

async function limitMails(user: number | null, kind: string): Promise<void> {
  const found = await database.row<{ sent: number }>(sql`
    select count(*)::int as sent from mails
    where user_id = ${user} and kind = ${kind} and created_at > now() - interval '1 day'`);
  if ((found?.sent ?? 0) < MOST_CONFIRMATION_MAILS) return;
  throw tooMany(3_600, `At most ${MOST_CONFIRMATION_MAILS} of these mails are sent in a day`);
}

export function isConfirmation(link: string): boolean {
  return readSigned(link, "confirm-address") !== undefined;
}

/** Confirms the address of a followed link, which is of the caller. */
export async function confirmAddress({ id }: Caller, link: string): Promise<void> {
  const text = readSigned(link, "confirm-address");
  const [user, address, until] = (text ? JSON.parse(text) : []) as [number?, string?, number?];
  if (user !== id || until === undefined || until < Date.now()) throw unusable();
  const confirmed = await database.execute(sql`
    update notice_settings set unconfirmed = null from users
    where users.id = user_id and user_id = ${id} and unconfirmed = ${address} and users.email = ${address}
    returning user_id`);
  if (confirmed.length === 0) throw unusable();
}

function unusable() {
  return invalid(
    "link",
    "This link was used, is too old, or is for another account; ask for another one",
  );
}
