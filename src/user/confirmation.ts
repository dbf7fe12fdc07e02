// Asks a logged in user for the password again.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { auditCaller } from "../auth/audit.ts";
import type { Caller } from "../auth/auth.ts";
import { invalid } from "../input/errors.ts";
import * as failedLogins from "./failed_logins.ts";
import * as passwords from "./passwords.ts";
import { isFresh } from "./sessions.ts";
import { providerOf } from "./sign_in/identity.ts";
import * as throttle from "./throttle.ts";

/** Shortly after the login no password is needed. */
export async function confirmUnlessFresh(
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  if (await isFresh(caller)) return;
  if (await providerOf(caller.id ?? 0)) throw invalid("current_password", LOG_IN_AGAIN);
  await confirm(caller, password);
}

const LOG_IN_AGAIN =
  "You logged in more than 15 minutes ago and have no password here: log out, and log in again";

/**
 * Refuses a wrong password, which counts as a failed login of this user. Failures of other clients for this name do not
 * slow the caller down, who has logged in before.
 */
export async function confirm(caller: Caller, password: string | undefined): Promise<void> {
  if (password === undefined)
    throw invalid("current_password", String(passwords.CURRENT_PASSWORD.description));
  const client = `user ${caller.id}`;
  const attempt = { username: caller.username, client, isKnown: true };
  const found = await database.row<throttle.LoginDelays & { password_hash: string | null }>(sql`
    select password_hash, ${throttle.loginDelays(attempt)} from users where id = ${caller.id}`);
  if (found) throttle.requireNotBlocked(found, attempt);
  const { matches, failures } = await throttle.throttled(attempt, () =>
    passwords.verify(password, found?.password_hash),
  );
  if (matches) return;
  await failedLogins.record({ ...auditCaller(caller), failures });
  throw invalid("current_password", "This is not your current password");
}
