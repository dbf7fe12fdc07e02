import { Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { sessions, tokens, users } from "../../db/tables/user.ts";
import type { AuditEntry } from "../auth/audit.ts";
import { addLimited } from "../auth/audit_limits.ts";
import { forgetCallers, type Visit } from "../auth/auth.ts";
import { networkOf } from "../auth/client_network.ts";
import * as jwt from "../auth/jwt.ts";
import { sha256 } from "../auth/secret.ts";
import { unauthenticated } from "../input/errors.ts";
import { closed, secret } from "../input/shape.ts";
import { compatible } from "../input/text.ts";
import { complete } from "./completion.ts";
import * as failedLogins from "./failed_logins.ts";
import { hasPasskey, needsPasskey } from "./passkeys/requirement.ts";
import { sealPendingLogin } from "./passkeys/second_step.ts";
import * as passwords from "./passwords.ts";
import { open as openSession } from "./sessions.ts";
import { onlyBreakGlass } from "./sign_in/break_glass.ts";
import { logIn as logInAtDirectory } from "./sign_in/directory_login.ts";
import { hasDirectory } from "./sign_in/providers.ts";
import * as throttle from "./throttle.ts";

export const credentials = closed({
  username: Type.String({ minLength: 1, maxLength: 200, description: "Enter your username" }),
  password: secret("Enter your password"),
});

interface LoginRequest extends Visit {
  username: string;
  password: string;
}

interface LoginUser extends throttle.LoginDelays {
  id: number | null;
  password_hash: string | null;
  is_known: boolean;
  is_break_glass: boolean;
  /** The password is only the first step. */
  has_second_step: boolean;
  /** People without a password here may have one at a directory. */
  has_directory: boolean;
}

/** A login token for programs: a JWT that is valid for twelve hours, unless it is revoked. */
export async function token(attempt: LoginRequest): Promise<string> {
  const { user, password_hash } = await check(attempt, "token");
  if (password_hash !== undefined) {
    await note(attempt, user, { event: "login.failed", details: { reason: "no second step" } });
    throw unauthenticated(NO_SECOND_STEP);
  }
  const jti = crypto.randomUUID();
  const signed = await jwt.sign(user, jti);
  await database.execute(
    database.build.insert(tokens).values({
      user_id: user,
      kind: "login",
      key: jti,
      created_at: signed.issuedAt,
      expires_at: signed.expiresAt,
    }),
  );
  return signed.token;
}

const NO_SECOND_STEP =
  "This account needs a passkey, which a password cannot replace here: log in in a browser, and generate a personal token";

type LoginResult =
  /** The secret for the cookie. */
  | { session: string }
  /** The password was right; the sealed text keeps that until the second step. */
  | { pending: string };

/** A browser session, or the way to the second step of the login. */
export async function session(attempt: LoginRequest, next: string): Promise<LoginResult> {
  const { user, password_hash } = await check(attempt, "session");
  if (password_hash === undefined) return { session: await openSession(user, attempt.address) };
  await note(attempt, user, { event: "login.second_step" });
  return { pending: sealPendingLogin(user, password_hash, next) };
}

function note(
  { username, address, request_id }: LoginRequest,
  user_id: number,
  entry: Pick<AuditEntry, "event" | "details">,
): Promise<void> {
  return addLimited({
    user_id,
    username: comparable(username),
    address,
    request_id,
    ...entry,
  });
}

export async function endSession(cookie: string): Promise<void> {
  await database.execute(
    database.build.delete(sessions).where(eq(sessions.secret_hash, sha256(cookie))),
  );
  forgetCallers();
}

/** Ends the session on request of its user. Returns the provider where the user may be logged in, too. */
export async function logOut(cookie: string, visit: Visit): Promise<string | undefined> {
  const [ended] = await database.execute<{
    id: number;
    username: string;
    provider: string | null;
  }>(sql`
    delete from sessions using users
    where secret_hash = ${sha256(cookie)} and users.id = sessions.user_id
    returning users.id, users.username, (
      select key from identities join identity_providers on identity_providers.id = provider_id
      where identities.user_id = users.id and kind = 'oidc' and is_enabled
      order by identities.checked_at desc limit 1) as provider`);
  forgetCallers();
  if (!ended) return undefined;
  const { id: user_id, username } = ended;
  await addLimited({ event: "logout", user_id, username, ...visit });
  return ended.provider ?? undefined;
}

interface CheckedPassword {
  user: number;
  /** Given if a second step is needed. */
  password_hash?: string;
}

async function check(
  { username, password, address, request_id }: LoginRequest,
  credential: "session" | "token",
): Promise<CheckedPassword> {
  const named = { username: comparable(username), client: networkOf(address) };
  const user = await find(named);
  const attempt = { ...named, isKnown: user.is_known };
  // Blocked clients are refused before they join the queue for hashing.
  throttle.requireNotBlocked(user, attempt);
  if (user.password_hash === null && user.has_directory) {
    const given = { username, password, address, request_id, attempt, credential };
    return { user: (await logInAtDirectory(given)) ?? refuse() };
  }
  const { matches, failures } = await throttle.throttled(attempt, () =>
    passwords.verify(password, user.password_hash),
  );
  const { id, password_hash } = user;
  if (id === null || password_hash === null || !matches) {
    // The same entry for unknown names: with the id of a user it would take longer, which would reveal the name.
    await failedLogins.record({ username, address, request_id, failures });
    return refuse();
  }
  const current = await rehashed({ id, password_hash, password, client: attempt.client });
  if (user.has_second_step) return { user: id, password_hash: current };
  const { is_break_glass } = user;
  const known = { id, username: named.username, is_break_glass };
  await complete({ user: known, address, request_id, details: { credential } });
  return { user: id };
}

interface PasswordToRehash {
  id: number;
  password: string;
  password_hash: string;
  client: string;
}

/** Hashes the password again if the stored hash has older parameters. */
async function rehashed({
  id,
  password,
  password_hash,
  client,
}: PasswordToRehash): Promise<string> {
  if (!passwords.isOutdated(password_hash)) return password_hash;
  const made = await passwords.hash(password, { client, isPreferred: true });
  await database.execute(
    database.build.update(users).set({ password_hash: made }).where(eq(users.id, id)),
  );
  return made;
}

/** Directories ignore such differences, too: each spelling must not be a name of its own that may be tried. */
function comparable(username: string): string {
  return compatible(username).replace(/\s+/g, " ").trim().toLowerCase();
}

function refuse(): never {
  throw unauthenticated("Invalid credentials");
}

const NOBODY: LoginUser = {
  id: null,
  password_hash: null,
  is_known: false,
  is_break_glass: false,
  has_second_step: false,
  has_directory: false,
  client_wait: null,
  name_wait: null,
};

/** Everything that a login needs, in one query. For an unknown name, a row without a user. */
async function find(named: { username: string; client: string }): Promise<LoginUser> {
  const found = await database.row<LoginUser>(sql`
    select users.id, coalesce(users.is_break_glass, false) as is_break_glass,
      ${hasPasskey} or ${needsPasskey} as has_second_step, ${hasDirectory} as has_directory,
      case when users.is_break_glass or not ${onlyBreakGlass} then users.password_hash end as password_hash,
      ${throttle.isKnownAt(sql`users.id`, named.client)} as is_known,
      ${throttle.loginDelays(named)}
    from (select 1) one
    left join users on users.username = ${named.username} and users.deactivated_at is null`);
  return found ?? NOBODY;
}
