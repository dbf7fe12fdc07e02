import { Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { sessions, tokens, users } from "../../db/tables/user.ts";
import { addLimited } from "../auth/audit_limits.ts";
import { forgetCallers } from "../auth/auth.ts";
import { networkOf } from "../auth/client_network.ts";
import * as jwt from "../auth/jwt.ts";
import { sessionSecret, sha256 } from "../auth/secret.ts";
import { unauthenticated } from "../input/errors.ts";
import { closed, secret } from "../input/shape.ts";
import * as failedLogins from "./failed_logins.ts";
import * as passwords from "./passwords.ts";
import * as throttle from "./throttle.ts";

export const credentials = closed({
  username: Type.String({ minLength: 1, maxLength: 200, description: "Enter your username" }),
  password: secret("Enter your password"),
});

interface LoginRequest {
  username: string;
  password: string;
  address: string;
  request_id: string;
}

interface LoginUser extends throttle.LoginDelays {
  id: number | null;
  password_hash: string | null;
  is_known: boolean;
}

/** A login token for programs: a JWT that is valid for twelve hours, unless it is revoked. */
export async function token(attempt: LoginRequest): Promise<string> {
  const user = await check(attempt, "token");
  const jti = crypto.randomUUID();
  const expires_at = sql`date_trunc('second', now()) + ${jwt.LIFETIME} * interval '1 second'`;
  const at = sql<number>`extract(epoch from date_trunc('second', now()))::float8`.as("at");
  const [issued] = await database.execute<{ at: number }>(
    database.build
      .insert(tokens)
      .values({ user_id: user, kind: "login", key: jti, expires_at })
      .returning({ at }),
  );
  return jwt.sign(user, jti, issued?.at ?? 0);
}

/** A browser session: returns the secret for the cookie; only its hash is stored. */
export async function session(attempt: LoginRequest): Promise<string> {
  const user = await check(attempt, "session");
  const made = sessionSecret();
  await database.execute(
    database.build.insert(sessions).values({
      user_id: user,
      secret_hash: sha256(made),
      address: attempt.address,
      expires_at: sql`now() + interval '12 hours'`,
    }),
  );
  return made;
}

export async function endSession(cookie: string): Promise<void> {
  await database.execute(
    database.build.delete(sessions).where(eq(sessions.secret_hash, sha256(cookie))),
  );
  forgetCallers();
}

/** Ends the session on request of its user. */
export async function logOut(cookie: string): Promise<void> {
  const [ended] = await database.execute<{ id: number; username: string }>(sql`
    delete from sessions using users
    where secret_hash = ${sha256(cookie)} and users.id = sessions.user_id
    returning users.id, users.username`);
  forgetCallers();
  if (ended) await addLimited({ event: "logout", user_id: ended.id, username: ended.username });
}

async function check(
  { username, password, address, request_id }: LoginRequest,
  credential: "session" | "token",
): Promise<number> {
  const named = { username: username.toLowerCase(), client: networkOf(address) };
  const user = await find(named);
  const attempt = { ...named, isKnown: user.is_known };
  // Blocked clients are refused before they join the queue for hashing.
  throttle.requireNotBlocked(user, attempt);
  const { matches, failures } = await throttle.throttled(attempt, () =>
    passwords.verify(password, user.password_hash),
  );
  if (user.id === null || !matches) {
    // The same entry for unknown names: with the id of a user it would take longer, which would reveal the name.
    await failedLogins.record({ username, address, request_id, failures });
    throw unauthenticated("Invalid credentials");
  }
  await throttle.remember(user.id, attempt.client);
  if (user.password_hash && passwords.isOutdated(user.password_hash)) {
    const turn = { client: attempt.client, isPreferred: true };
    const password_hash = await passwords.hash(password, turn);
    await database.execute(
      database.build.update(users).set({ password_hash }).where(eq(users.id, user.id)),
    );
  }
  await addLimited({
    event: "login.succeeded",
    user_id: user.id,
    username: named.username,
    address,
    request_id,
    details: { credential },
  });
  return user.id;
}

/** Everything that a login needs, in one query. For an unknown name, a row without a user. */
async function find(named: { username: string; client: string }): Promise<LoginUser> {
  const found = await database.row<LoginUser>(sql`
    select users.id, users.password_hash, ${throttle.isKnownAt(sql`users.id`, named.client)} as is_known,
      ${throttle.loginDelays(named)}
    from (select 1) one
    left join users on users.username = ${named.username} and users.deactivated_at is null`);
  return (
    found ?? { id: null, password_hash: null, is_known: false, client_wait: null, name_wait: null }
  );
}
