// A login with a password that a directory knows.
import type { Visit } from "../../auth/auth.ts";
import { inDirectoryQueue } from "../../input/limiters.ts";
import { MOST_PROVIDERS } from "../../input/limits.ts";
import * as failedLogins from "../failed_logins.ts";
import * as throttle from "../throttle.ts";
import { admit, noteFailure } from "./accounts.ts";
import type { DirectoryPerson } from "./directory.ts";
import { SignInFailed, Unreachable } from "./failure.ts";
import { authenticate } from "./ldap.ts";
import type { LdapProvider } from "./provider.ts";
import { directories, providerToAsk } from "./providers.ts";

interface DirectoryLogin extends Visit {
  /** As typed. */
  username: string;
  password: string;
  attempt: throttle.LoginAttempt;
  credential: "session" | "token";
}

/** The id of the user; undefined if no directory knows this pair, which is then in the audit log. */
export async function logIn(given: DirectoryLogin): Promise<number | undefined> {
  const { username, address, request_id, credential, attempt } = given;
  const visit = { address, request_id };
  try {
    let known: KnownPerson | { problem: SignInFailed } | undefined;
    const compare = async () => {
      known = await askAll(given);
      return known !== undefined && "person" in known;
    };
    const { failures } = await throttle.throttled(attempt, compare, inDirectoryQueue);
    if (!known) {
      await failedLogins.record({ username, ...visit, failures });
      return undefined;
    }
    if ("problem" in known) throw known.problem;
    return await admit(known.provider, known.person, { ...visit, credential });
  } catch (error) {
    if (error instanceof SignInFailed) await noteFailure(error, { username, ...visit });
    throw error;
  }
}

interface KnownPerson {
  provider: LdapProvider;
  person: DirectoryPerson;
}

/** Asks one directory after the other. One that fails does not hide another one; alone it is an error. */
async function askAll({
  username,
  password,
}: DirectoryLogin): Promise<KnownPerson | { problem: SignInFailed } | undefined> {
  let failed: SignInFailed | undefined;
  for (const key of await directories()) {
    try {
      const provider = await providerToAsk(key);
      if (provider.kind !== "ldap") continue;
      const found = await unlessSilent(provider, () =>
        authenticate(provider, { username, password }),
      );
      if (found && "problem" in found) return { problem: accountProblem(provider, found.problem) };
      if (found?.isDisabled)
        return { problem: accountProblem(provider, "Your account is disabled") };
      if (found) return { provider, person: found };
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error;
      failed ??= error;
    }
  }
  if (failed) throw failed;
  return undefined;
}

/** Milliseconds in which a directory that did not respond is not asked again, except by one login at their end. */
const PAUSE = 5_000;
const silent = new Map<string, { until: number; failure: Unreachable }>();

/**
 * A directory that does not respond takes seconds of a turn in the queue, also of logins that another directory would
 * answer. After the first one, logins do not wait for it.
 */
async function unlessSilent<T>(provider: LdapProvider, ask: () => Promise<T>): Promise<T> {
  const key = JSON.stringify([provider.id, provider.settings]);
  const known = silent.get(key);
  if (known && known.until > performance.now()) throw known.failure;
  if (known) known.until = performance.now() + PAUSE;
  try {
    const answer = await ask();
    silent.delete(key);
    return answer;
  } catch (error) {
    if (!(error instanceof Unreachable)) silent.delete(key);
    else noteSilence(key, error);
    throw error;
  }
}

function noteSilence(key: string, failure: Unreachable): void {
  if (silent.size >= MOST_PROVIDERS) silent.clear();
  silent.set(key, { until: performance.now() + PAUSE, failure });
}

function accountProblem({ name }: LdapProvider, sentence: string): SignInFailed {
  return new SignInFailed(401, sentence, { provider: name, reason: sentence });
}
