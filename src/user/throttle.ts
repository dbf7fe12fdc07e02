// Ten failed logins of a client within 15 minutes block the client. A username for which ten or more clients fail is
// slowed down, except for clients from which the user has logged in before. Addresses that are secrets, as those of feeds,
// are counted in the same way, by themselves.
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { login_addresses, login_failures } from "../../db/tables/user.ts";
import { networkOf } from "../auth/client_network.ts";
import { tooMany } from "../input/errors.ts";
import { inHashQueue } from "../input/limiters.ts";

export const ALLOWED = 10;
const WINDOW = sql`interval '15 minutes'`;
/** The delay after a failure for a name doubles with each client from the tenth on, from 2 to 64 (2 ^ 6) seconds. */
const MAX_DELAY_EXPONENT = 6;

export interface LoginAttempt {
  /** The name in lower case. */
  username: string;
  /** The network whose failures are counted together: see src/auth/client_network.ts. */
  client: string;
  /** The user has logged in from this client before. */
  isKnown: boolean;
  /** What is counted, in words. */
  failed?: string;
}

/** Seconds until the next attempt: of a blocked client, and for a slowed down name. */
export interface LoginDelays {
  client_wait: number | null;
  name_wait: number | null;
}

interface LoginAttemptResult {
  matches: boolean;
  /** Failures of this client within the window, including this attempt. */
  failures: number;
}

/** The columns of LoginDelays, to be part of a larger query: one query for each attempt, before a password is hashed. */
export function loginDelays({ username, client }: Pick<LoginAttempt, "username" | "client">): SQL {
  return sql`
    (select extract(epoch from at + ${WINDOW} - now())::float8 from login_failures
      where address = ${client} and at > now() - ${WINDOW}
      order by at desc offset ${ALLOWED - 1} limit 1) as client_wait,
    (select extract(epoch from
        max(at) + 2 ^ least(count(distinct address) - ${ALLOWED - 1}, ${MAX_DELAY_EXPONENT}) * interval '1 second'
          - now())::float8
      from login_failures where username = ${username} and at > now() - ${WINDOW}
      having count(distinct address) >= ${ALLOWED}) as name_wait`;
}

export function requireNotBlocked(
  { client_wait, name_wait }: LoginDelays,
  { isKnown, failed = "failed logins" }: LoginAttempt,
): void {
  const seconds = Math.max(client_wait ?? 0, isKnown ? 0 : (name_wait ?? 0));
  if (seconds <= 0) return;
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  throw tooMany(seconds, `Too many ${failed}; try again in ${wait}`);
}

/** Compares a password unless there were too many failures; counts a failure, but not an error. */
export function throttled(
  attempt: LoginAttempt,
  compare: () => Promise<boolean>,
  inQueue = inHashQueue,
): Promise<LoginAttemptResult> {
  const turn = { client: attempt.client, isPreferred: attempt.isKnown };
  // Attempts are counted inside the turn: while queued, those of many users at once would count as failures.
  return inQueue(turn, async () => {
    const { id, failures } = await begin(attempt);
    const matches = await compare().catch(async (error) => {
      await withdraw(id);
      throw error;
    });
    if (matches) await succeed(attempt, id);
    return { matches, failures };
  });
}

/**
 * Counts a wrong secret that a client has asked for, and refuses after too many. Right ones are not refused, because others
 * may be behind the same address, and no number of attempts finds a secret of 256 bits.
 */
export async function countWrongSecret(address: string): Promise<void> {
  const client = `secrets ${networkOf(address)}`;
  // No username has a space.
  const attempt = { username: client, client, isKnown: true, failed: "wrong addresses" };
  const found = await database.row<LoginDelays>(sql`select ${loginDelays(attempt)}`);
  if (found) requireNotBlocked(found, attempt);
  try {
    await begin(attempt);
  } catch (error) {
    // A replica counts nothing.
    if (!(error instanceof DatabaseUnavailable && error.onlyReads)) throw error;
  }
}

/** Stores from where a user logged in. */
export async function remember(user: number, client: string): Promise<void> {
  await database.execute(
    database.build
      .insert(login_addresses)
      .values({ user_id: user, address: client })
      .onConflictDoUpdate({
        target: [login_addresses.user_id, login_addresses.address],
        set: { at: sql`now()` },
      }),
  );
}

/** The condition that the user has logged in from this client before. */
export function isKnownAt(user: SQL, client: string): SQL {
  return sql`exists (select 1 from login_addresses where user_id = ${user} and address = ${client})`;
}

/**
 * Counts an attempt as failed before it is made, so that concurrent attempts count like sequential ones. Locks on the
 * name and the client, taken in order, serialize them.
 */
async function begin(attempt: LoginAttempt): Promise<{ id: number; failures: number }> {
  const { username, client } = attempt;
  return database.transaction(async (tx) => {
    await tx.execute(sql`
      select pg_advisory_xact_lock(one)
      from unnest(array[hashtextextended(${`name ${username}`}, 0), hashtextextended(${`address ${client}`}, 0)]) one
      order by one`);
    const [found] = await tx.execute<
      LoginDelays & { failures: number } & Record<string, unknown>
    >(sql`
      select ${loginDelays(attempt)}, (
        select count(*)::int from login_failures where address = ${client} and at > now() - ${WINDOW}) as failures`);
    const { client_wait = null, name_wait = null, failures = 0 } = found ?? {};
    requireNotBlocked({ client_wait, name_wait }, attempt);
    const [made] = await tx
      .insert(login_failures)
      .values({ username, address: client })
      .returning({ id: login_failures.id });
    return { id: made?.id ?? 0, failures: failures + 1 };
  });
}

/** Whether the password is right was not found out. */
async function withdraw(id: number): Promise<void> {
  await database.execute(database.build.delete(login_failures).where(eq(login_failures.id, id)));
}

/** Removes this attempt and the earlier failures of the client for the same name. */
async function succeed({ username, client }: LoginAttempt, id: number): Promise<void> {
  const { username: name, address } = login_failures;
  await database.execute(
    database.build
      .delete(login_failures)
      .where(or(and(eq(name, username), eq(address, client)), eq(login_failures.id, id))),
  );
}
