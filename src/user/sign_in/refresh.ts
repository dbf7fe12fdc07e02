// Asks directories again about people who are logged in or have a token: their groups follow, and who is gone is out
// within five minutes. Requests never wait for it.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { forgetCallers } from "../../auth/auth.ts";
import * as log from "../../monitoring/log.ts";
import { reconcile, shutOut } from "./accounts.ts";
import { SignInFailed } from "./failure.ts";
import { lookUp } from "./ldap.ts";
import { type LdapProvider, OUTAGE_HOURS } from "./provider.ts";
import { directories, providerToAsk } from "./providers.ts";

/** Milliseconds between two looks at who is due, and how long an answer of a directory holds. */
const INTERVAL = 20_000;
const AGE = sql`interval '4 minutes'`;
const BATCH = 200;

/** Starts it; returns a function that ends it. */
export function start(): () => void {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await refresh().catch((error) =>
      log.warn("The groups of directories were not read", { error: String(error) }),
    );
    isRunning = false;
  }, INTERVAL);
  return () => clearInterval(timer);
}

/** Asks about everybody who is due. Several instances share the work. */
export async function refresh(): Promise<void> {
  for (const key of await directories()) {
    const isSame = (await refreshDirectory(key)) === 0;
    if (!isSame) forgetCallers();
  }
}

/** Returns how many people were asked about. */
async function refreshDirectory(key: string): Promise<number> {
  const [known] = await database.rows<{ id: number; name: string; hours: number }>(sql`
    select id, name, coalesce((settings ->> 'outage_hours')::integer, ${OUTAGE_HOURS}) as hours
    from identity_providers where key = ${key}`);
  if (!known) return 0;
  for (let asked = 0; ; ) {
    const due = await claim(known.id);
    if (due.length === 0) return asked;
    asked += due.length;
    await ask(key, due).catch(async (error) => {
      if (!(error instanceof SignInFailed)) throw error;
      log.warn("A directory does not respond", error.details);
      await endAfterOutage(known, due);
    });
  }
}

interface DuePerson {
  user: number;
  username: string;
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
    returning users.id as user, username, subject, gone_at is not null as is_gone`);
}

async function ask(key: string, due: readonly DuePerson[]): Promise<void> {
  const provider = await providerToAsk(key);
  if (provider.kind !== "ldap") return;
  const subjects = due.map(({ subject }) => subject);
  for (const { subject, found } of await lookUp(provider, subjects)) {
    const person = due.find((one) => one.subject === subject);
    if (found && !found.isDisabled) await reconcile(provider, found);
    else if (person) await end(provider, person, found ? "disabled" : "not found");
  }
}

/** After the time that the admin sets, people whom the directory has not confirmed since are out. */
async function endAfterOutage(
  provider: Pick<LdapProvider, "id" | "name"> & { hours: number },
  due: readonly DuePerson[],
): Promise<void> {
  const ids = due.map(({ user }) => String(user));
  const late = await database.rows<{ user: number }>(sql`
    select user_id as user from identities
    where provider_id = ${provider.id} and user_id = any(${sql.param(ids)}::text[]::integer[])
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
  await database.transaction((tx) => shutOut(tx, provider, { id, username, is_gone }, reason));
}
