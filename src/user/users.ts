import { type Static, Type } from "@sinclair/typebox";
import { and, eq, isNotNull, isNull, not, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { users } from "../../db/tables/user.ts";
import * as audit from "../auth/audit.ts";
import { type Caller, forgetCallers } from "../auth/auth.ts";
import { forbidden, invalid, notFound } from "../input/errors.ts";
import { atLeastOne, closed, secret } from "../input/shape.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import * as records from "../store/records.ts";
import { changeFields, creationFields, recordQuery } from "../store/resource.ts";
import { lock, type Transaction, write } from "../store/write.ts";
import { confirm } from "./confirmation.ts";
import * as passwords from "./passwords.ts";
import { revokeTokens, signOut } from "./sessions.ts";
import { noteAdminDecision, requireLocal } from "./sign_in/identity.ts";
import { type User, user } from "./user.ts";

const password = secret(passwords.PASSWORD_RULE);
const { display_name, email } = changeFields(user);

export const newUser = closed({ ...creationFields(user), password });
const end_tokens = Type.Boolean({
  description: "With a new password: use true to end the personal tokens, too",
});

export const changedUser = atLeastOne({ ...changeFields(user), password, end_tokens });
/** What a form changes besides the password. */
export const changedDetails = atLeastOne(changeFields(user));
export const newPassword = closed({ password, end_tokens: Type.Optional(end_tokens) });
export const changedProfile = atLeastOne({
  display_name,
  email,
  password,
  current_password: passwords.CURRENT_PASSWORD,
  end_tokens,
});

export const active = isNull(users.deactivated_at);

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<User>> {
  return records.list(recordQuery(user, caller), params, active);
}

export function find(caller: Caller, id: number): Promise<records.RecordJson<User>> {
  return readActive(caller, id);
}

export async function create(
  caller: Caller,
  input: Static<typeof newUser>,
): Promise<records.RecordJson<User>> {
  const { password, username, ...rest } = input;
  passwords.requireStrong(password, username);
  const password_hash = await passwords.hash(password, passwords.queueTurnOf(caller));
  return write(caller, async (tx) => {
    const values = { ...rest, username: username.toLowerCase(), password_hash };
    const [made] = await tx.insert(users).values(values).returning({ id: users.id });
    await audit.addBy(tx, caller, {
      event: "user.created",
      target: values.username,
      details: { groups: listed(rest.groups ?? []) },
    });
    return readActive(caller, made?.id ?? 0, tx);
  });
}

export function update(
  caller: Caller,
  id: number,
  input: Static<typeof changedUser>,
): Promise<records.RecordJson<User>> {
  return updateAndRead(caller, id, input, (tx) => readActive(caller, id, tx));
}

/** The same, with another description of the user as the result. */
export async function updateAndRead<Result>(
  caller: Caller,
  id: number,
  input: Static<typeof changedUser>,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { password, end_tokens, ...rest } = input;
  requirePasswordWith({ password, end_tokens });
  const secret = password === undefined ? {} : await hashFor(caller, id, password);
  return write(caller, async (tx) => {
    const before = await lockActive(tx, caller, id);
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    await requireAdmin(tx);
    if (rest.email !== undefined) await noteAddress(tx, id, { isOwn: false });
    await logChange(tx, caller, { before, rest });
    if (password !== undefined) {
      await signOut(tx, { user: id, personalTokens: end_tokens });
      await logPassword(tx, caller, { target: before.username, end_tokens });
    }
    return read(tx);
  }).finally(forgetCallers);
}

/** Deactivates the user and ends all sessions and tokens. The record stays, because history refers to it. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    const { username: target } = await lockActive(tx, caller, id);
    await tx.update(users).set({ deactivated_at: sql`now()` }).where(eq(users.id, id));
    await requireAdmin(tx);
    await noteAdminDecision(tx, id);
    await signOut(tx, { user: id, personalTokens: true });
    await audit.addBy(tx, caller, { event: "user.deactivated", target });
  }).finally(forgetCallers);
}

/** Reactivates a user. Their earlier sessions and tokens stay ended, also those of a concurrent login. */
export async function activate(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    await lock(tx, caller, { table: users, id });
    const [activated] = await tx
      .update(users)
      .set({ deactivated_at: null })
      .where(and(eq(users.id, id), isNotNull(users.deactivated_at)))
      .returning({ username: users.username });
    if (!activated) return;
    await noteAdminDecision(tx, id);
    await signOut(tx, { user: id, personalTokens: true });
    await audit.addBy(tx, caller, { event: "user.activated", target: activated.username });
  }).finally(forgetCallers);
}

/** Ends the sessions and login tokens of a user, or the personal tokens. */
export async function end(caller: Caller, id: number, what: "sessions" | "tokens"): Promise<void> {
  await write(caller, async (tx) => {
    const { username: target } = await lockActive(tx, caller, id);
    if (what === "sessions") await signOut(tx, { user: id });
    else await revokeTokens(tx, { user: id, kind: "personal" });
    await audit.addBy(tx, caller, { event: `user.${what}_ended`, target });
  }).finally(forgetCallers);
}

/**
 * Changes the caller's own record. A new password ends all other sessions and login tokens and, with `end_tokens`, the
 * other personal tokens.
 */
export async function updateProfile(
  caller: Caller,
  input: Static<typeof changedProfile>,
): Promise<records.RecordJson<User>> {
  const { password, current_password, end_tokens, ...rest } = input;
  const id = caller.id ?? 0;
  if (password === undefined && current_password !== undefined) {
    throw invalid("password", "Send the new password with the current one");
  }
  requirePasswordWith({ password, end_tokens });
  const secret =
    password === undefined ? {} : await confirmAndHash(caller, password, current_password);
  return write(caller, async (tx) => {
    const before = await lockActive(tx, caller, id);
    if (before.is_service) throw forbidden("Admins manage this service account");
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    const isNew = rest.email !== undefined && rest.email !== before.email;
    if (isNew) await noteAddress(tx, id, { isOwn: true });
    await logChange(tx, caller, { before, rest });
    if (password !== undefined) {
      await signOut(tx, { user: id, except: caller.credential, personalTokens: end_tokens });
      await logPassword(tx, caller, { target: before.username, end_tokens });
    }
    return readActive(caller, id, tx);
  }).finally(forgetCallers);
}

function readActive(
  caller: Caller,
  id: number,
  tx?: Transaction,
): Promise<records.RecordJson<User>> {
  return records.find(recordQuery(user, caller), sql`${users.id} = ${id} and ${active}`, tx);
}

/** The user, as it is before the change. */
async function lockActive(tx: Transaction, caller: Caller, id: number): Promise<Details> {
  await lock(tx, caller, { table: users, id });
  const { username, display_name, email, groups, is_service } = users;
  const [found] = await tx
    .select({ username, display_name, email, groups, is_service })
    .from(users)
    .where(and(eq(users.id, id), active));
  if (!found) throw notFound();
  return found;
}

// Serialized, so that two admins cannot remove each other at the same time. An admin by a provider does not count: the
// provider may not respond, or take the group away.
async function requireAdmin(tx: Transaction): Promise<void> {
  await advisoryLock(tx, "the last admin");
  const [found] = await tx
    .select({ hasPassword: sql<boolean>`bool_or(${users.password_hash} is not null)` })
    .from(users)
    .where(and(sql`'admin' = any(${users.groups})`, active, not(users.is_service)));
  if (found?.hasPassword) return;
  const kind = found?.hasPassword === false ? "admin with a password" : "admin";
  throw invalid("groups", `At least one ${kind} must remain`);
}

type Details = Pick<
  typeof users.$inferSelect,
  "username" | "display_name" | "email" | "groups" | "is_service"
>;

/** Whom everybody may ask for rights. */
export async function adminNames(): Promise<string[]> {
  const found = await database.rows<{ username: string }>(sql`
    select username from users where 'admin' = any(groups) and ${active} and not is_service order by username`);
  return found.map(({ username }) => username);
}

/** Logs the names of the changed fields; of the groups, which grant permissions, also the values. */
async function logChange(
  tx: Transaction,
  caller: Caller,
  { before, rest }: { before: Details; rest: Partial<Details> },
): Promise<void> {
  const fields = (["display_name", "email", "groups"] as const).filter(
    (name) => rest[name] !== undefined && String(rest[name]) !== String(before[name]),
  );
  if (fields.length === 0) return;
  const details: NonNullable<audit.AuditEntry["details"]> = { fields: listed(fields) };
  if (rest.groups && fields.includes("groups")) {
    details.groups_before = listed(before.groups);
    details.groups = listed(rest.groups);
  }
  await audit.addBy(tx, caller, { event: "user.changed", target: before.username, details });
}

function logPassword(
  tx: Transaction,
  caller: Caller,
  { target, end_tokens = false }: { target: string; end_tokens?: boolean | undefined },
): Promise<void> {
  return audit.addBy(tx, caller, { event: "password.changed", target, details: { end_tokens } });
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}

async function hashFor(caller: Caller, id: number, password: string) {
  const { username } = records.rowOf(await readActive(caller, id));
  await requireLocal(id, "password");
  passwords.requireStrong(password, username);
  return { password_hash: await passwords.hash(password, passwords.queueTurnOf(caller)) };
}

async function confirmAndHash(
  caller: Caller,
  password: string,
  current_password: string | undefined,
) {
  await requireLocal(caller.id ?? 0, "password");
  passwords.requireStrong(password, caller.username);
  await confirm(caller, current_password);
  return { password_hash: await passwords.hash(password, passwords.queueTurnOf(caller)) };
}

/** Tokens are ended only together with a change of the password. */
function requirePasswordWith(input: { password?: string; end_tokens?: boolean }): void {
  if (input.password === undefined && input.end_tokens !== undefined) {
    throw invalid("password", "Send the new password with end_tokens");
  }
}

/**
 * Whether mails may go to the address of a user: see src/events/notices/address.ts. An address that its user enters gets a
 * mail with a link, and no other mail until the link is followed. That of an admin needs no confirmation.
 */
async function noteAddress(
  tx: Transaction,
  user: number,
  { isOwn }: { isOwn: boolean },
): Promise<void> {
  if (!isOwn) {
    await tx.execute(sql`
      update notice_settings set unconfirmed = null where user_id = ${user} and unconfirmed is not null`);
    return;
  }
  await tx.execute(sql`
    insert into notice_settings (user_id, unconfirmed) select id, email from users where id = ${user}
    on conflict (user_id) do update set unconfirmed = excluded.unconfirmed`);
}
