import { type Static, Type } from "@sinclair/typebox";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { sessions, tokens, users } from "../../db/tables/user.ts";
import { type Caller, forgetCallers } from "../auth/auth.ts";
import { invalid, notFound } from "../input/errors.ts";
import { closed, secret, some } from "../input/shape.ts";
import * as records from "../store/records.ts";
import { changes, creation, recordQuery } from "../store/resource.ts";
import { advisoryLock, lock, type Transaction, write } from "../store/write.ts";
import { confirm } from "./confirmation.ts";
import * as passwords from "./passwords.ts";
import { type User, user } from "./user.ts";

const password = secret(passwords.PASSWORD_RULE);
const { display_name, email } = changes(user);

export const newUser = closed({ ...creation(user), password });
const end_tokens = Type.Boolean({
  description: "With a new password: use true to end the personal tokens, too",
});

export const changedUser = some({ ...changes(user), password, end_tokens });
export const changedProfile = some({
  display_name,
  email,
  password,
  current_password: secret("Enter your current password"),
  end_tokens,
});

const active = isNull(users.deactivated_at);

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
  const password_hash = await passwords.hash(password, passwords.turnOf(caller));
  return write(caller, async (tx) => {
    const values = { ...rest, username: username.toLowerCase(), password_hash };
    const [made] = await tx.insert(users).values(values).returning({ id: users.id });
    return readActive(caller, made?.id ?? 0, tx);
  });
}

export async function update(
  caller: Caller,
  id: number,
  input: Static<typeof changedUser>,
): Promise<records.RecordJson<User>> {
  const { password, end_tokens, ...rest } = input;
  if (password === undefined && end_tokens !== undefined) {
    throw invalid("password", "Send the new password with end_tokens");
  }
  const secret = password === undefined ? {} : await hashFor(caller, id, password);
  return write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    await requireAdmin(tx);
    if (password !== undefined) await signOut(tx, { user: id, personalTokens: end_tokens });
    return readActive(caller, id, tx);
  }).finally(forgetCallers);
}

/** Deactivates the user and ends all sessions and tokens. The record stays, because history refers to it. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx.update(users).set({ deactivated_at: sql`now()` }).where(eq(users.id, id));
    await requireAdmin(tx);
    await signOut(tx, { user: id, personalTokens: true });
  }).finally(forgetCallers);
}

/**
 * Changes the caller's own record. A new password ends all other sessions and login tokens and, with `end_tokens`, the
 * other personal tokens. The address of the client is for the audit log.
 */
export async function updateProfile(
  caller: Caller,
  input: Static<typeof changedProfile>,
  address: string,
): Promise<records.RecordJson<User>> {
  const { password, current_password, end_tokens, ...rest } = input;
  const id = caller.id ?? 0;
  if (password === undefined && current_password !== undefined) {
    throw invalid("password", "Send the new password with the current one");
  }
  if (password === undefined && end_tokens !== undefined) {
    throw invalid("password", "Send the new password with end_tokens");
  }
  const secret =
    password === undefined
      ? {}
      : await confirmAndHash(caller, { password, current_password, address });
  return write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    if (password !== undefined) {
      await signOut(tx, { user: id, except: caller.credential, personalTokens: end_tokens });
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

async function lockActive(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: users, id });
  const [found] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), active));
  if (!found) throw notFound();
}

// Serialized, so that two admins cannot remove each other at the same time.
async function requireAdmin(tx: Transaction): Promise<void> {
  await advisoryLock(tx, "the last admin");
  const [found] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(sql`'admin' = any(${users.groups})`, active))
    .limit(1);
  if (!found) throw invalid("groups", "At least one admin must remain");
}

interface SignOut {
  user: number;
  except?: Caller["credential"];
  personalTokens?: boolean;
}

async function signOut(
  tx: Transaction,
  { user, except, personalTokens = false }: SignOut,
): Promise<void> {
  const session = except?.kind === "session" ? except.id : 0;
  const token = except && except.kind !== "session" ? except.id : 0;
  await tx.delete(sessions).where(and(eq(sessions.user_id, user), ne(sessions.id, session)));
  await tx
    .update(tokens)
    .set({ revoked_at: sql`now()` })
    .where(
      and(
        eq(tokens.user_id, user),
        ne(tokens.id, token),
        isNull(tokens.revoked_at),
        personalTokens ? undefined : eq(tokens.kind, "login"),
      ),
    );
}

async function hashFor(caller: Caller, id: number, password: string) {
  const { username } = records.rowOf(await readActive(caller, id));
  passwords.requireStrong(password, username);
  return { password_hash: await passwords.hash(password, passwords.turnOf(caller)) };
}

async function confirmAndHash(
  caller: Caller,
  given: { password: string; current_password: string | undefined; address: string },
) {
  const { password, current_password, address } = given;
  passwords.requireStrong(password, caller.username);
  await confirm(caller, { password: current_password, address });
  return { password_hash: await passwords.hash(password, passwords.turnOf(caller)) };
}
