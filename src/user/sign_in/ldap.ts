// Sign-in by a directory: the person is searched for, and then the password is tried by a bind.
import { type Client, ResultCodeError } from "ldapts";
import { connectionReason } from "../../http/connection_errors.ts";
import {
  type DirectoryPerson,
  findEntry,
  findGroups,
  findPersonBySubject,
  nobodyIn,
  personOf,
  withOuterGroups,
} from "./directory.ts";
import { SignInFailed, unreachable } from "./failure.ts";
import { withDirectory } from "./ldap_connection.ts";
import { UnusablePerson } from "./person.ts";
import type { LdapProvider } from "./provider.ts";

const INVALID_CREDENTIALS = 49;

/** Why a directory does not take a right password, by the codes of Active Directory. */
const ACCOUNT_PROBLEMS: Record<string, string> = {
  "530": "Your account may not log in at this time",
  "531": "Your account may not log in from here",
  "532": "Your password has expired: change it first",
  "533": "Your account is disabled",
  "701": "Your account has expired",
  "773": "You have to change your password first",
  "775": "Your account is locked",
};

/** The person; a sentence if the directory says what is wrong with the account; undefined for a wrong pair. */
export async function authenticate(
  provider: LdapProvider,
  { username, password }: { username: string; password: string },
): Promise<DirectoryPerson | { problem: string } | undefined> {
  // Directories accept an empty password for anybody, as a login of nobody; some end it at NUL.
  if (password === "" || password.includes("\0")) return undefined;
  const work = (client: Client) => withPassword(client, provider, { username, password });
  return asking(provider, work, { password });
}

async function withPassword(
  client: Client,
  provider: LdapProvider,
  { username, password }: { username: string; password: string },
) {
  const { settings } = provider;
  await bindAsService(client, provider);
  const entry = await findEntry(client, settings, { username });
  // An unknown name takes as many operations as a wrong password, and its password is not sent.
  const found = await findGroups(client, settings, entry);
  const refusal = entry
    ? await tryBind(client, entry.dn, password)
    : await tryBind(client, nobodyIn(settings), crypto.randomUUID());
  if (!entry) return undefined;
  if (refusal !== undefined) {
    const problem = problemIn(refusal);
    return problem ? { problem } : undefined;
  }
  if (found.next.length === 0) return personOf(settings, entry, found);
  await bindAsService(client, provider);
  return personOf(settings, entry, await withOuterGroups(client, settings, found));
}

/** Codes by which directories refuse a pair; others, such as busy, say nothing about the password. */
const REFUSALS = [
  19, // constraint violation
  32, // no such object
  34, // invalid DN syntax
  48, // inappropriate authentication
  INVALID_CREDENTIALS,
  50, // insufficient access rights
  53, // unwilling to perform
];

/** The error of the directory; undefined if the password is right. */
async function tryBind(
  client: Client,
  dn: string,
  password: string,
): Promise<ResultCodeError | undefined> {
  try {
    await client.bind(dn, password);
    return undefined;
  } catch (error) {
    if (error instanceof ResultCodeError && REFUSALS.includes(error.code)) return error;
    throw error;
  }
}

function problemIn({ code, message }: ResultCodeError): string | undefined {
  const [, data = ""] = /\bdata ([0-9a-f]{3})\b/.exec(message) ?? [];
  return code === INVALID_CREDENTIALS ? ACCOUNT_PROBLEMS[data] : undefined;
}

/** Milliseconds for the people of one refresh. */
const REFRESH_DEADLINE = 60_000;

/** undefined: the directory has no such person any more. An error concerns this person alone. */
export type DirectoryLookup = DirectoryPerson | undefined | UnusablePerson;

/** Looks people up by their subjects, on one connection, and hands each over as soon as it is known. */
export function lookUp(
  provider: LdapProvider,
  subjects: readonly string[],
  take: (subject: string, found: DirectoryLookup) => Promise<void>,
): Promise<void> {
  return asking(
    provider,
    async (client) => {
      await bindAsService(client, provider);
      for (const subject of subjects) {
        await take(subject, await found(client, provider, subject));
      }
    },
    { deadline: REFRESH_DEADLINE },
  );
}

async function found(
  client: Client,
  { settings }: LdapProvider,
  subject: string,
): Promise<DirectoryLookup> {
  try {
    return await findPersonBySubject(client, settings, subject);
  } catch (error) {
    if (error instanceof UnusablePerson) return error;
    throw error;
  }
}

/** Without a bind DN as nobody, as a connection is at its beginning. */
async function bindAsService(client: Client, { settings, secret }: LdapProvider): Promise<void> {
  const { bind_dn } = settings;
  if (bind_dn !== undefined) await client.bind(bind_dn, secret ?? "");
  else if (client.isBound) await client.bind("", "");
}

/** Everything but a wrong password is a failure of the directory or of its settings. */
async function asking<T>(
  provider: LdapProvider,
  work: (client: Client) => Promise<T>,
  { password, ...options }: { deadline?: number; password?: string } = {},
): Promise<T> {
  try {
    return await withDirectory(provider.settings, work, options);
  } catch (error) {
    throw failure(provider.name, error, [password, provider.secret]);
  }
}

function failure(
  provider: string,
  error: unknown,
  secrets: ReadonlyArray<string | undefined>,
): SignInFailed {
  const reason = withoutSecrets(reasonOf(error), secrets).slice(0, 200);
  const isAnswer = error instanceof ResultCodeError || error instanceof UnusablePerson;
  if (!isAnswer) return unreachable(provider, reason);
  const message = `${provider} cannot be used at the moment; log in with a password, or ask an admin`;
  return new SignInFailed(503, message, { provider, reason });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { name, message } = error;
  const failed = connectionReason(error);
  if (failed) return failed;
  return message ? `${name}: ${message}` : name;
}

/** A directory may repeat what it was sent. Leaving out a short password would show it by the gaps. */
function withoutSecrets(text: string, secrets: ReadonlyArray<string | undefined>): string {
  return secrets.reduce<string>(
    (left, one = "") => (one.length > 5 ? left.replaceAll(one, "…") : left),
    text,
  );
}
