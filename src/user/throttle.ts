// Ten failed logins from a client within a quarter of an hour block that client. A name for which ten clients or more
// fail is slowed down, but not where its user has logged in before; fewer clients are blocked soon enough.
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { login_addresses, login_failures } from "../../db/tables/user.ts";
import { tooMany } from "../input/errors.ts";
import * as passwords from "./passwords.ts";

export const ALLOWED = 10;
const WINDOW = sql`interval '15 minutes'`;
/** The pause after a failure for a name doubles with each client from the tenth on, from 2 to 64 seconds. */
const LONGEST_PAUSE = 6;

export interface Attempt {
  /** The name in lower case. */
  username: string;
  /** Whose failures are counted together: see src/auth/client_network.ts. */
  client: string;
  /** Has proved before, at this place, to be the user of this name. */
  isKnown: boolean;
}

/** Seconds until the next try: of a client that is blocked, of a name that is slowed down. */
export interface Waits {
  client_wait: number | null;
  name_wait: number | null;
}

export interface Outcome {
  matches: boolean;
  /** Of this client within the window, this attempt included. */
  failures: number;
}

/** The columns of Waits, for a statement that asks for more: one read for each attempt, before any password is hashed. */
export function waits({ username, client }: Pick<Attempt, "username" | "client">): SQL {
  return sql`
    (select extract(epoch from at + ${WINDOW} - now())::float8 from login_failures
      where address = ${client} and at > now() - ${WINDOW}
      order by at desc offset ${ALLOWED - 1} limit 1) as client_wait,
    (select extract(epoch from
        max(at) + 2 ^ least(count(distinct address) - ${ALLOWED - 1}, ${LONGEST_PAUSE}) * interval '1 second'
          - now())::float8
      from login_failures where username = ${username} and at > now() - ${WINDOW}
      having count(distinct address) >= ${ALLOWED}) as name_wait`;
}

export function requireFree({ client_wait, name_wait }: Waits, { isKnown }: Attempt): void {
  const seconds = Math.max(client_wait ?? 0, isKnown ? 0 : (name_wait ?? 0));
  if (seconds <= 0) return;
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  throw tooMany(seconds, `Too many failed logins; try again in ${wait}`);
}

/** Compares a password unless there were too many wrong ones; counts those that are wrong. */
export function guarded(attempt: Attempt, compare: () => Promise<boolean>): Promise<Outcome> {
  const turn = { client: attempt.client, isPreferred: attempt.isKnown };
  // In turn from here on, or a crowd of people who know their passwords would count as failures.
  return passwords.inTurn(turn, async () => {
    const { id, failures } = await begin(attempt);
    const matches = await compare();
    if (matches) await succeed(attempt, id);
    return { matches, failures };
  });
}

/** Remembers where a user logged in. */
export async function remember(user: number, client: string): Promise<void> {
  await database.change(
    database.build
      .insert(login_addresses)
      .values({ user_id: user, address: client })
      .onConflictDoUpdate({
        target: [login_addresses.user_id, login_addresses.address],
        set: { at: sql`now()` },
      }),
  );
}

/** Whether the user of this name has logged in from there, as a condition. */
export function isKnownAt(user: SQL, client: string): SQL {
  return sql`exists (select 1 from login_addresses where user_id = ${user} and address = ${client})`;
}

/**
 * Counts an attempt as failed before it is made, so that a thousand at once count like one after the
 * other. Locks on the name and the client, in order, make them take turns.
 */
async function begin(attempt: Attempt): Promise<{ id: number; failures: number }> {
  const { username, client } = attempt;
  return database.transaction(async (tx) => {
    await tx.execute(sql`
      select pg_advisory_xact_lock(one)
      from unnest(array[hashtextextended(${`name ${username}`}, 0), hashtextextended(${`address ${client}`}, 0)]) one
      order by one`);
    const [found] = await tx.execute<Waits & { failures: number } & Record<string, unknown>>(sql`
      select ${waits(attempt)}, (
        select count(*)::int from login_failures where address = ${client} and at > now() - ${WINDOW}) as failures`);
    const { client_wait = null, name_wait = null, failures = 0 } = found ?? {};
    requireFree({ client_wait, name_wait }, attempt);
    const [made] = await tx
      .insert(login_failures)
      .values({ username, address: client })
      .returning({ id: login_failures.id });
    return { id: made?.id ?? 0, failures: failures + 1 };
  });
}

/** It was no failure, and neither were this client's earlier ones for the same name. */
async function succeed({ username, client }: Attempt, id: number): Promise<void> {
  const { username: name, address } = login_failures;
  await database.change(
    database.build
      .delete(login_failures)
      .where(or(and(eq(name, username), eq(address, client)), eq(login_failures.id, id))),
  );
}
