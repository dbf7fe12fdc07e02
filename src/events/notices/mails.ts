// The mails that wait, and their sender: see store/outbox.ts. A mail whose sender died may arrive twice, with the same
// Message-ID.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onCommit } from "../../../db/commits.ts";
import { mails as table } from "../../../db/tables/notices.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { signed } from "../../auth/sealed.ts";
import type { MailSettings } from "../../config.ts";
import { MOST_COUNTED_CHANGES, MOST_MAILED_CHANGES } from "../../input/limits.ts";
import * as log from "../../monitoring/log.ts";
import * as outbox from "../../store/outbox.ts";
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
  user_id: number;
  kind: "changes" | "confirmation" | "test";
  /** JSON. */
  changes: string;
  watches: string;
  message: string;
  created_at: Date;
}

const MAILS: outbox.Outbox = {
  table: "mails",
  isOpen: sql`status = 'waiting'`,
  until: "next_at",
  holder: "attempts",
  lease: 60,
};
/** Milliseconds between two looks. */
const INTERVAL = 3_000;
const MINUTE = 60;
/** Seconds after each attempt that failed; the last one repeats. */
const PAUSES = [1, 2, 4, 8, 16, 32, 60].map((minutes) => minutes * MINUTE);
/** Hours after which a mail is given up. */
const HOURS = 72;

export function sendingOf(service: MailService): outbox.OutboxWork {
  return {
    outbox: MAILS,
    interrupted: "Mails were not sent",
    take: (most) => outbox.take(MAILS, { order: sql`next_at, id`, most }),
    perform: (held) => send(held, service),
    givenBack: {},
    atOnce: 1,
    pace: { apart: INTERVAL },
    wokenBy: onCommit,
    patience: 0,
  };
}

async function send(held: outbox.HeldRow, service: MailService): Promise<void> {
  try {
    const written = await write(held.id, service);
    if (written) await sendMail(service.settings, written);
    const status = written ? "sent" : "dropped";
    await held.settle({ status, trouble: null, finished_at: sql`now()` });
  } catch (error) {
    await postpone(held, error);
  }
}

/** The mail as its user may read it now; undefined if there is nothing left to tell. */
async function write(id: number, service: MailService): Promise<OutgoingMail | undefined> {
  const mail = await database.row<TakenMail>(sql`
    select user_id, kind, to_json(changes)::text as changes, to_json(watches)::text as watches, message::text as message,
      created_at
    from mails where id = ${id}`);
  const person = mail && (await addressOf(mail));
  if (!mail || !person) return undefined;
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
      "Follow this link to get Cadastre mails at this address. If you did not enter it there, do nothing.";
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

async function postpone(held: outbox.HeldRow, error: unknown): Promise<void> {
  const reason = error instanceof MailRefused ? error.reason : "The mail could not be written";
  const isPermanent = error instanceof MailRefused && error.isPermanent;
  log.warn("A mail was not sent", { id: held.id, error: String(error), given_up: isPermanent });
  const isOver = sql`(${isPermanent}::boolean or created_at < now() - make_interval(hours => ${HOURS}))`;
  await held.settle({
    trouble: reason,
    status: sql`case when ${isOver} then 'failed' else 'waiting' end`,
    finished_at: sql`case when ${isOver} then now() end`,
    next_at: sql`now() + make_interval(secs => ${outbox.pauseAfter(Number(held.holder), PAUSES)})`,
  });
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
