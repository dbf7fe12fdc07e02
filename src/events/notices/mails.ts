// The mails that wait, and their sender. A row is taken by one sender at a time, on any instance. A sender that dies
// leaves its mail to the next one when its time is over: the mail may then arrive twice, with the same Message-ID.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { mails as table } from "../../../db/tables/notices.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { signed } from "../../auth/sealed.ts";
import type { MailSettings } from "../../config.ts";
import { MOST_COUNTED_CHANGES, MOST_MAILED_CHANGES } from "../../input/limits.ts";
import * as log from "../../monitoring/log.ts";
import { confirmationLink } from "./address.ts";
import {
  FROM_WATCHES,
  matchingChanges,
  readMatchedSets,
  STORED_WATCH,
  type StoredWatch,
} from "./matches.ts";
import { USABLE } from "./settings.ts";
import { MailRefused, type OutgoingMail, sendMail } from "./smtp.ts";
import { changesMail, type MailText, shortMail } from "./text.ts";

export interface MailService {
  settings: MailSettings;
  /** Of the pages, for links. */
  origin: string;
}

/** The path of the pages that end mails without a login, before the signed text. */
export const UNSUBSCRIBE = "/notices/unsubscribe";

export function unsubscribeLink(origin: string, user: number): string {
  return `${origin}${UNSUBSCRIBE}/${signed(String(user), "unsubscribe")}`;
}

interface TakenMail {
  id: number;
  user_id: number;
  kind: "changes" | "confirmation" | "test";
  /** JSON. */
  changes: string;
  watches: string;
  message: string;
  attempts: number;
  created_at: Date;
}

/** Longer than any attempt takes. */
const HELD = sql`interval '5 minutes'`;
/** Minutes until the next attempt: after the first one, and at most; hours until it is given up. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 60;
const HOURS = 72;

/** Sends the next mail that is due; false if there is none. */
export async function sendNext(service: MailService): Promise<boolean> {
  const [mail] = await database.execute<TakenMail>(sql`
    update mails set next_at = now() + ${HELD}, attempts = attempts + 1
    where id = (
      select id from mails where status = 'waiting' and next_at <= now()
      order by next_at, id limit 1 for update skip locked)
    returning id::float8 as id, user_id, kind, to_json(changes)::text as changes,
      to_json(watches)::text as watches, message::text as message, attempts, created_at`);
  if (!mail) return false;
  try {
    const written = await write(mail, service);
    if (written) await sendMail(service.settings, written);
    await finish(mail, written ? "sent" : "dropped");
  } catch (error) {
    await postpone(mail, error);
  }
  return true;
}

/** The mail as its user may read it now; undefined if there is nothing left to tell. */
async function write(mail: TakenMail, service: MailService): Promise<OutgoingMail | undefined> {
  const person = await addressOf(mail);
  if (!person) return undefined;
  const text = await textOf(mail, person, service);
  if (!text) return undefined;
  const host = new URL(service.origin).hostname;
  return {
    to: person.address,
    ...text,
    messageId: `<${mail.message}@${host}>`,
    date: mail.created_at,
    headers: headersOf(mail, service),
  };
}

function headersOf({ kind, user_id }: TakenMail, { origin }: MailService): Record<string, string> {
  const automatic = { "Auto-Submitted": "auto-generated" };
  if (kind !== "changes") return automatic;
  return {
    ...automatic,
    "List-Unsubscribe": `<${unsubscribeLink(origin, user_id)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

interface MailRecipient {
  address: string;
  own_changes: boolean;
}

async function addressOf({ user_id, kind }: TakenMail): Promise<MailRecipient | undefined> {
  const isReached = kind === "confirmation" ? sql`users.email = own.unconfirmed` : USABLE;
  return database.row<MailRecipient>(sql`
    select users.email as address, coalesce(own.own_changes, false) as own_changes
    from users left join notice_settings own on own.user_id = users.id
    where users.id = ${user_id} and users.deactivated_at is null and ${isReached}`);
}

async function textOf(
  mail: TakenMail,
  person: MailRecipient,
  { origin }: MailService,
): Promise<MailText | undefined> {
  if (mail.kind === "test") {
    return shortMail("Cadastre: test", "Cadastre can send mails.", `${origin}/user/watches`);
  }
  if (mail.kind === "confirmation") {
    const sentence =
      "Follow this link to get mails of Cadastre at this address. If you did not enter it there, do nothing.";
    const link = origin + confirmationLink(mail.user_id, person.address, mail.created_at);
    return shortMail("Cadastre: confirm your address", sentence, link);
  }
  const caller = await ownerCaller(mail.user_id);
  if (!caller) return undefined;
  const matched = await matchingChanges(caller, {
    watches: await watchesIn(mail),
    extent: { changes: JSON.parse(mail.changes) },
    ownChanges: person.own_changes,
    order: "oldest",
    most: MOST_COUNTED_CHANGES,
  });
  const sets = await readMatchedSets(caller, matched, MOST_MAILED_CHANGES);
  if (sets.length === 0) return undefined;
  const count = Math.max(0, matched.length - MOST_MAILED_CHANGES);
  const further = { count, isMore: matched.length === MOST_COUNTED_CHANGES };
  const links = { origin, unsubscribe: unsubscribeLink(origin, mail.user_id) };
  return changesMail({ sets, further, links });
}

/** Those that its user still has, with mails. */
async function watchesIn({ user_id, watches }: TakenMail): Promise<StoredWatch[]> {
  return database.rows<StoredWatch>(sql`
    select ${STORED_WATCH} from ${FROM_WATCHES}
    where watches.user_id = ${user_id} and mail <> 'none'
      and watches.id in (select value::integer from json_array_elements_text(${watches}::text::json))`);
}

/** Only the last sender that took it decides about it. */
function stillHeld({ id, attempts }: TakenMail): SQL {
  return sql`id = ${id} and attempts = ${attempts} and status = 'waiting'`;
}

async function finish(mail: TakenMail, status: "sent" | "dropped"): Promise<void> {
  await database.execute(sql`
    update mails set status = ${status}, trouble = null, finished_at = now() where ${stillHeld(mail)}`);
}

async function postpone(mail: TakenMail, error: unknown): Promise<void> {
  const reason = error instanceof MailRefused ? error.reason : "The mail could not be written";
  const isPermanent = error instanceof MailRefused && error.isPermanent;
  log.warn("A mail was not sent", { id: mail.id, error: String(error), given_up: isPermanent });
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(mail.attempts - 1, 10));
  const isOver = sql`(${isPermanent}::boolean or created_at < now() - make_interval(hours => ${HOURS}))`;
  await database.execute(sql`
    update mails set trouble = ${reason},
      status = case when ${isOver} then 'failed' else 'waiting' end,
      finished_at = case when ${isOver} then now() end,
      next_at = now() + make_interval(mins => ${pause})
    where ${stillHeld(mail)}`);
}

/** Puts a mail of its own into the outbox. */
export async function enqueue(user_id: number, kind: "confirmation" | "test"): Promise<void> {
  await database.execute(database.build.insert(table).values({ user_id, kind }));
}

export interface MailTrouble {
  status: "waiting" | "failed";
  trouble: string;
  attempts: number;
  at: string;
}

/** Why the user's last mail was not delivered; undefined if it was. */
export async function lastTrouble(user: number | null): Promise<MailTrouble | undefined> {
  const last = await database.row<MailTrouble & { trouble: string | null }>(sql`
    select status, trouble, attempts, shown(created_at) as at from mails
    where user_id = ${user} and status <> 'dropped' order by id desc limit 1`);
  return last?.trouble ? { ...last, trouble: last.trouble } : undefined;
}
