// Asks directories again about people who are logged in or have a token: their groups follow, and who is gone is out
// within five minutes. Requests never wait for it.
import { type SQL, sql } from "drizzle-orm";
import { keepDoing, type Loop } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { forgetCallers } from "../../auth/auth.ts";
import * as log from "../../monitoring/log.ts";
import { reconcile, shutOut } from "./accounts.ts";
import { SignInFailed } from "./failure.ts";
import { type DirectoryLookup, lookUp } from "./ldap.ts";
import { type LdapProvider, OUTAGE_HOURS } from "./provider.ts";
import { directories, providerToAsk } from "./providers.ts";

/** Milliseconds between two looks at who is due, and how long an answer of a directory holds. */
const INTERVAL = 20_000;
const AGE = sql`interval '4 minutes'`;
const RETRY = sql`interval '40 seconds'`;
const BATCH = 200;

export function start(): Loop {
  return keepDoing("The groups of directories were not read", refresh, { every: INTERVAL });
}

/** Asks about everybody who is due. Several instances share the work, and one directory does not hinder another. */
export async function refresh(): Promise<void> {
  const keys = await directories();
  const asked = await Promise.all(
    keys.map((key) =>
      refreshDirectory(key).catch((error) => {
        log.warn("The groups of a directory were not read", { key, error: String(error) });
        return 1;
      }),
    ),
  );
  if (asked.some((number) => number > 0)) forgetCallers();
}

interface KnownDirectory {
  id: number;
  name: string;
  key: string;
  hours: number;
}

/** Returns how many people were asked about. */
async function refreshDirectory(key: string): Promise<number> {
  const [known] = await database.rows<KnownDirectory>(sql`
    select id, name, key, coalesce((settings ->> 'outage_hours')::integer, ${OUTAGE_HOURS}) as hours
    from identity_providers where key = ${key}`);
  if (!known) return 0;
  for (let asked = 0; ; ) {
    const due = await claim(known.id);
    if (due.length === 0) return asked;
    asked += due.length;
    const left = await ask(key, due);
    if (left.length === 0) continue;
    await retrySoon(known, left);
    await endAfterOutage(known, left);
  }
}

interface DuePerson {
  user: number;
  username: string;
  authority: string;
  subject: string;
  is_gone: boolean;
}

/** People who are logged in or have a token and were not asked about for some minutes. Marks them as asked about. */
function claim(provider: number): Promise<DuePerson[]> {
  return database.execute<DuePerson>(sql`
    with due as (
      select identities.id from identities join users on users.id = user_id
      where provider_id = ${provider} and checked_at < now() - ${AGE}
        and (users.deactivated_at is null or gone_at is not null)
        and (
          exists (
            select from sessions where sessions.user_id = users.id and expires_at > now()
              and last_seen_at > now() - interval '2 hours')
          or exists (
            select from tokens where tokens.user_id = users.id and revoked_at is null
              and (expires_at is null or expires_at > now())))
      order by checked_at limit ${BATCH} for update of identities skip locked
    )
    update identities set checked_at = now() from due, users
    where identities.id = due.id and users.id = user_id
    returning users.id as user, username, authority, subject, gone_at is not null as is_gone`);
}

/** Returns those about whom the directory said nothing. */
async function ask(key: string, due: readonly DuePerson[]): Promise<DuePerson[]> {
  const left = new Map(due.map((person) => [person.subject, person]));
  try {
    const provider = await providerToAsk(key);
    if (provider.kind !== "ldap") return [];
    await lookUp(provider, [...left.keys()], async (subject, found) => {
      const person = left.get(subject);
      if (person && (await isSettled(provider, person, found))) left.delete(subject);
    });
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    log.warn("A directory does not respond", error.details);
  }
  return [...left.values()];
}

/** Stores what the directory said about one person. A failure does not concern the others. */
async function isSettled(
  provider: LdapProvider,
  person: DuePerson,
  found: DirectoryLookup,
): Promise<boolean> {
  const { username, authority, subject } = person;
  try {
    if (found instanceof Error) throw found;
    if (!found || found.isDisabled) await end(provider, person, found ? "disabled" : "not found");
    // Under the subject of the account: directories ignore case, which may have changed.
    else await reconcile(provider, { ...found, authority, subject });
    return true;
  } catch (error) {
    log.warn("The groups of a user were not read", { username, error: String(error) });
    return false;
  }
}

/** Before the usual time, because the directory may respond again. */
async function retrySoon({ id }: KnownDirectory, left: readonly DuePerson[]): Promise<void> {
  await database.execute(sql`
    update identities set checked_at = now() - ${AGE} + ${RETRY}
    where provider_id = ${id} and user_id = any(${usersIn(left)}::text[]::integer[])`);
}

function usersIn(people: readonly DuePerson[]): SQL {
  return sql`${sql.param(people.map(({ user }) => String(user)))}`;
}

/** After the time that the admin sets, people whom the directory has not confirmed since are out. */
async function endAfterOutage(provider: KnownDirectory, due: readonly DuePerson[]): Promise<void> {
  const late = await database.rows<{ user: number }>(sql`
    select user_id as user from identities
    where provider_id = ${provider.id} and user_id = any(${usersIn(due)}::text[]::integer[])
      and confirmed_at < now() - make_interval(hours => ${provider.hours})`);
  for (const person of due) {
    if (late.some(({ user }) => user === person.user)) await end(provider, person, "outage");
  }
}

async function end(
  provider: Pick<LdapProvider, "id" | "name">,
  { user: id, username, is_gone }: DuePerson,
  reason: string,
): Promise<void> {
  await database.transaction((tx) => shutOut({ tx, provider }, { id, username, is_gone }, reason));
}
