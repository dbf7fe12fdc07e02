// Ten failed logins for a name or from an address within a quarter of an hour are enough.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { tooMany } from "../errors.ts";
import * as passwords from "./passwords.ts";

export const ALLOWED = 10;
const WINDOW = sql`interval '15 minutes'`;

export interface Attempt {
  username: string;
  address: string;
}

/** Compares a password unless there were too many wrong ones; of those it keeps count. */
export function guarded(attempt: Attempt, compare: () => Promise<boolean>): Promise<boolean> {
  // In turn from here on, or a crowd of people who know their passwords would count as failures.
  return passwords.inTurn(async () => {
    const failure = await begin(attempt);
    const matches = await compare();
    if (matches) await succeed(attempt, failure);
    return matches;
  });
}

/**
 * Counts an attempt as failed before it is made, so that a thousand at once count like one after the
 * other. Locks on the name and the address, in order, make them take turns.
 */
async function begin({ username, address }: Attempt): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.execute(sql`
      select pg_advisory_xact_lock(one)
      from unnest(array[hashtextextended(${`name ${username}`}, 0), hashtextextended(${`address ${address}`}, 0)]) one
      order by one`);
    const [blocked] = await tx.execute<{ seconds: number | null }>(sql`
      select max(seconds)::float8 as seconds from (
        select extract(epoch from at + ${WINDOW} - now()) as seconds,
          row_number() over (partition by whose order by at desc) as number
        from (
          select 'name' as whose, at from login_failures where username = ${username} and at > now() - ${WINDOW}
          union all
          select 'address', at from login_failures where address = ${address} and at > now() - ${WINDOW}
        ) failures
      ) numbered where number = ${ALLOWED}`);
    if (blocked?.seconds)
      throw tooMany(blocked.seconds, "Too many failed logins; wait before you try again");
    const [made] = await tx.execute<{ id: number }>(
      sql`insert into login_failures (username, address) values (${username}, ${address}) returning id::int`,
    );
    return made?.id ?? 0;
  });
}

/** It was no failure: the name starts anew, and this attempt does not count against the address. */
async function succeed({ username }: Attempt, id: number): Promise<void> {
  await database.change(sql`delete from login_failures where username = ${username} or id = ${id}`);
}
