// The accounts of the people whom a provider knows. A person is known by the subject at the provider, never by a name or
// an e-mail address: who has another person's address gets an account of their own.
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { identities, users } from "../../../db/tables/user.ts";
import * as audit from "../../auth/audit.ts";
import { addLimited } from "../../auth/audit_limits.ts";
import { forgetCallers, type UserGroup, type Visit } from "../../auth/auth.ts";
import { networkOf } from "../../auth/client_network.ts";
import { withoutMarks } from "../../input/text.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { Transaction } from "../../store/write.ts";
import { type ProvidedRight, replaceProvided } from "../rights/rights.ts";
import { signOut } from "../sessions.ts";
import * as throttle from "../throttle.ts";
import { SignInFailed } from "./failure.ts";
import { groupsOf, mappedGroups, mappedRights } from "./mapping.ts";
import type { ExternalPerson, Provider } from "./provider.ts";

interface LinkedAccount {
  id: number;
  username: string;
  display_name: string | null;
  email: string | null;
  groups: UserGroup[];
  is_deactivated: boolean;
  /** The provider did not let the person in before. */
  is_gone: boolean;
}

/** What is decided about an account, in one transaction. */
interface Decision<P = Provider> {
  tx: Transaction;
  provider: P;
  /** The login; undefined if the provider was asked without one. */
  visit?: Visit;
}

type Verdict = ({ user: number; username: string } | { refusal: string; reason: string }) & {
  /** What the caller may do has changed. */
  isChanged: boolean;
};

/**
 * The user of this person, made at the first login, with the groups of today. Refuses people without a mapped group, if
 * the provider wants one, and users whom an admin has deactivated.
 */
export async function admit(
  provider: Provider,
  person: ExternalPerson,
  { credential, ...visit }: Visit & { credential: "session" | "token" },
): Promise<number> {
  const verdict = await database.transaction((tx) => decide({ tx, provider, visit }, person));
  if (verdict.isChanged) forgetCallers();
  if ("refusal" in verdict) {
    const { refusal, reason } = verdict;
    throw new SignInFailed(401, refusal, { provider: provider.name, reason });
  }
  const { user, username } = verdict;
  await throttle.remember(user, networkOf(visit.address));
  await addLimited({
    event: "login.succeeded",
    user_id: user,
    username,
    ...visit,
    details: { credential, provider: provider.name },
  });
  return user;
}

/** What the provider says of a person who is known, without a login. */
export async function reconcile(provider: Provider, person: ExternalPerson): Promise<void> {
  await database.transaction((tx) => decide({ tx, provider }, person));
}

/** A failed sign-in for the audit log, with the reason, which the person does not see. */
export async function noteFailure(
  { details }: SignInFailed,
  visit: Visit & { username?: string },
): Promise<void> {
  await addLimited({ event: "login.failed", ...visit, details });
}

async function decide(decision: Decision, person: ExternalPerson): Promise<Verdict> {
  const { tx, provider, visit } = decision;
  // Two first logins of one person make one account.
  await advisoryLock(tx, `identity ${provider.id} ${person.authority} ${person.subject}`);
  const groups = groupsOf(mappedGroups(provider, person.groups));
  const rights = mappedRights(provider, person.groups).map(({ right }) => right);
  const isMapped = groups.length > 0 || rights.length > 0;
  const mayEnter = isMapped || provider.settings.needs_group === false;
  const known = await accountOf(tx, provider, person);
  if (!known) {
    const isNew = mayEnter && visit !== undefined;
    return isNew ? await createAccount(decision, { person, groups, rights }) : noGroup(person);
  }
  if (known.is_deactivated && !known.is_gone) {
    const refusal = "This account is deactivated; ask an admin";
    return { refusal, reason: "deactivated", isChanged: false };
  }
  await noteGroups(tx, provider, person);
  if (!mayEnter) {
    await shutOut(decision, known);
    return noGroup(person);
  }
  if (known.is_gone) await letIn(decision, known);
  const isUpdated = await updateAccount(decision, { known, person, groups });
  const hasNewRights = await updateRights(decision, { user: known, rights });
  const isChanged = known.is_gone || isUpdated || hasNewRights;
  return { user: known.id, username: known.username, isChanged };
}

function noGroup({ subject, groups }: ExternalPerson): Verdict {
  return {
    refusal: "None of your groups may use Cadastre; ask an admin",
    reason: `no mapped group: ${subject}, ${groups.length} groups`,
    isChanged: true,
  };
}

function identityOf(provider: Provider, { authority, subject }: ExternalPerson) {
  return sql`provider_id = ${provider.id} and authority = ${authority} and subject = ${subject}`;
}

async function accountOf(
  tx: Transaction,
  provider: Provider,
  person: ExternalPerson,
): Promise<LinkedAccount | undefined> {
  const [found] = await tx.execute(sql`
    select users.id, username, display_name, email, users.groups, deactivated_at is not null as is_deactivated,
      gone_at is not null as is_gone
    from identities join users on users.id = user_id
    where ${identityOf(provider, person)} for no key update of users`);
  return found as LinkedAccount | undefined;
}

async function noteGroups(
  tx: Transaction,
  provider: Provider,
  person: ExternalPerson,
): Promise<void> {
  await tx
    .update(identities)
    .set({ groups: person.groups, checked_at: sql`now()`, confirmed_at: sql`now()` })
    .where(identityOf(provider, person));
}

interface AdmittedPerson {
  person: ExternalPerson;
  groups: UserGroup[];
  rights: ProvidedRight[];
}

async function createAccount(
  decision: Decision,
  { person, groups, rights }: AdmittedPerson,
): Promise<Verdict> {
  const { tx, provider } = decision;
  const wanted = usernameFor(person);
  const username = await freeUsername(tx, wanted);
  const values = { username, ...detailsOf(person), groups };
  const [made] = await tx.insert(users).values(values).returning({ id: users.id });
  const user = made?.id ?? 0;
  const { authority, subject, groups: outer } = person;
  await tx
    .insert(identities)
    .values({ provider_id: provider.id, user_id: user, authority, subject, groups: outer });
  await log(decision, "user.created", username, {
    provider: provider.name,
    subject,
    groups: groups.join(", "),
    ...(username === wanted ? {} : { wanted_username: wanted }),
  });
  await updateRights(decision, { user: { id: user, username }, rights });
  return { user, username, isChanged: false };
}

/** Returns whether something differs. */
async function updateAccount(
  decision: Decision,
  { known, person, groups }: Omit<AdmittedPerson, "rights"> & { known: LinkedAccount },
): Promise<boolean> {
  const { tx, provider } = decision;
  const { display_name, email } = detailsOf(person);
  const now = {
    display_name: display_name ?? known.display_name,
    email: email ?? known.email,
    groups,
  };
  const fields = (["display_name", "email", "groups"] as const).filter(
    (name) => String(now[name]) !== String(known[name]),
  );
  if (fields.length === 0) return false;
  await tx.update(users).set(now).where(eq(users.id, known.id));
  await log(decision, "user.changed", known.username, {
    provider: provider.name,
    fields: fields.join(", "),
    ...(fields.includes("groups") && {
      groups_before: known.groups.join(", "),
      groups: groups.join(", "),
    }),
  });
  return true;
}

/** Returns whether they differ. */
async function updateRights(
  decision: Decision,
  {
    user,
    rights,
  }: Pick<AdmittedPerson, "rights"> & { user: Pick<LinkedAccount, "id" | "username"> },
): Promise<boolean> {
  const { tx, provider } = decision;
  const changed = await replaceProvided(tx, { user: user.id, provider: provider.id }, rights);
  if (!changed) return false;
  await log(decision, "user.changed", user.username, {
    provider: provider.name,
    fields: "rights",
    rights_before: changed.before,
    rights: changed.now,
  });
  return true;
}

/**
 * The provider does not let the person in any more. Sessions end; personal tokens are only refused while the account is
 * deactivated, so that a mistake at the provider destroys none.
 */
export async function shutOut(
  decision: Decision<Pick<Provider, "id" | "name">>,
  { id, username, is_gone }: Pick<LinkedAccount, "id" | "username" | "is_gone">,
  reason = "no mapped group",
): Promise<void> {
  if (is_gone) return;
  const { tx, provider } = decision;
  await tx.update(users).set({ deactivated_at: sql`now()` }).where(eq(users.id, id));
  await tx.execute(sql`
    update identities set gone_at = now() where user_id = ${id} and provider_id = ${provider.id}`);
  await signOut(tx, { user: id });
  await log(decision, "user.deactivated", username, { provider: provider.name, reason });
}

async function letIn(decision: Decision, { id, username }: LinkedAccount): Promise<void> {
  const { tx, provider } = decision;
  await tx.update(users).set({ deactivated_at: null }).where(eq(users.id, id));
  await tx.execute(sql`
    update identities set gone_at = null where user_id = ${id} and provider_id = ${provider.id}`);
  await log(decision, "user.activated", username, { provider: provider.name });
}

function log(
  { tx, visit }: Pick<Decision, "tx" | "visit">,
  event: audit.AuditEvent,
  target: string,
  details: audit.AuditEntry["details"],
): Promise<void> {
  const request = visit ?? audit.NO_REQUEST;
  return audit.addWithin(tx, { event, username: SIGN_IN, ...request, target, details });
}

/** No user can have this name. */
const SIGN_IN = "(sign-in)";

const LONGEST_USERNAME = 60;
const LONGEST_NAME = 100;

/** The name at the provider in our alphabet, without a domain. */
export function usernameFor({ username, email }: ExternalPerson): string {
  const [local = ""] = (username ?? email ?? "").toLowerCase().split("@");
  const plain = withoutMarks(local)
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return plain.slice(0, LONGEST_USERNAME) || "user";
}

/** The name, or the first free one of name-2, name-3 and so on: a name never gives somebody's account to another person. */
async function freeUsername(tx: Transaction, wanted: string): Promise<string> {
  await advisoryLock(tx, "usernames of providers");
  const [found] = await tx.execute<{ name: string }>(sql`
    select name from (
      select ${wanted}::text as name, 1 as place
      union all select ${wanted}::text || '-' || place, place from generate_series(2, 1000) place
    ) candidates
    where not exists (select from users where username = name) order by place limit 1`);
  return found?.name ?? `user-${crypto.randomUUID()}`;
}

/** What is shown of the person, as far as it is valid here. */
function detailsOf({ display_name, email }: ExternalPerson) {
  const name = [...(display_name ?? "")].slice(0, LONGEST_NAME).join("").trim();
  const isAddress = email !== null && email.length <= 254 && /^[^@\s]+@[^@\s]+$/.test(email);
  return { display_name: name || null, email: isAddress ? email : null };
}

/** The username that the person has here, or would get; for a test of the provider. */
export async function accountPreview(
  provider: Provider,
  person: ExternalPerson,
): Promise<{ username: string; exists: boolean }> {
  const known = await database.row<{ username: string }>(sql`
    select username from identities join users on users.id = user_id where ${identityOf(provider, person)}`);
  if (known) return { username: known.username, exists: true };
  const username = await database.transaction((tx) => freeUsername(tx, usernameFor(person)));
  return { username, exists: false };
}
