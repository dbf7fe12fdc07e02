// The passkeys of local accounts: as the second step after the password, or alone. Accounts of a provider have their
// second factor there.
import { randomBytes } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { passkeys } from "../../../db/tables/user.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, forgetCallers, requireAdmin } from "../../auth/auth.ts";
import type { RelyingParty } from "../../auth/relying_party.ts";
import { forbidden, invalid, notFound } from "../../input/errors.ts";
import { LONGEST_PASSKEY_NAME, MOST_PASSKEYS } from "../../input/limits.ts";
import { closed, line } from "../../input/shape.ts";
import { type Transaction, write } from "../../store/write.ts";
import { confirmUnlessFresh } from "../confirmation.ts";
import { CURRENT_PASSWORD } from "../passwords.ts";
import { signOut } from "../sessions.ts";
import { type ChallengePurpose, challengeIn, sealed, useUp } from "./challenge.ts";
import * as recoveryCodes from "./recovery_codes.ts";
import { needsPasskey } from "./requirement.ts";
import * as webauthn from "./webauthn.ts";

export interface Passkey {
  id: number;
  name: string;
  /** The host name that it works for. */
  rp_id: string;
  created_at: string;
  last_used_at: string | null;
}

/** What a form sends with a new passkey: its name, and what the browser has made. */
export const newPasskey = closed({
  name: line(LONGEST_PASSKEY_NAME, `Use 1 to ${LONGEST_PASSKEY_NAME} characters on one line`),
  credential: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: "The browser sent no passkey: this needs scripting",
  }),
});

/** The field of a form by which an older session confirms. */
export const confirmation = closed({ current_password: Type.Optional(CURRENT_PASSWORD) });

/** What a form sends with the new name of a passkey. */
export const renamedPasskey = closed({
  name: newPasskey.properties.name,
  ...confirmation.properties,
});

export interface Overview {
  passkeys: Passkey[];
  codes: number;
  /** The user is in a group that needs a passkey. */
  isRequired: boolean;
}

/** What a user has, in one statement; undefined for an account of a provider. */
export async function overview(user: number): Promise<Overview | undefined> {
  const found = await database.row<Overview & { isLocal: boolean }>(sql`
    select password_hash is not null as "isLocal", ${needsPasskey} as "isRequired",
      (select count(*)::int from recovery_codes where user_id = users.id) as codes,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'rp_id', rp_id,
          'created_at', shown(created_at), 'last_used_at', shown(last_used_at)) order by id), '[]')
        from passkeys where user_id = users.id) as passkeys
    from users where id = ${user}`);
  return found?.isLocal ? found : undefined;
}

/** What a browser needs to make or use a passkey. */
export interface PasskeyCeremony<Options> {
  options: Options;
  /** The sealed challenge. */
  cookie: string;
}

type CreationOptions = Awaited<ReturnType<typeof webauthn.creationOptions>>;

/** What the browser of the caller needs to make a passkey. */
export async function begin(
  caller: Caller,
  party: RelyingParty,
  password: string | undefined,
): Promise<PasskeyCeremony<CreationOptions>> {
  await requireConfirmed(caller, password);
  return beginFor(party, caller.id ?? 0, purposeOf(caller, party));
}

function purposeOf(caller: Caller, party: RelyingParty): ChallengePurpose {
  return {
    for: "add",
    rp_id: party.id,
    user: caller.id,
    session: caller.credential?.id ?? null,
  };
}

export async function beginFor(
  party: RelyingParty,
  user: number,
  purpose: ChallengePurpose,
): Promise<PasskeyCeremony<CreationOptions>> {
  const named = await database.row<{ username: string; display_name: string | null }>(
    sql`select username, display_name from users where id = ${user}`,
  );
  if (!named) throw notFound();
  const known = await credentialsOf(user, party);
  const user_handle = known[0]?.user_handle ?? new Uint8Array(randomBytes(32));
  const options = await webauthn.creationOptions(party, { ...named, user_handle, known });
  const { challenge } = options;
  const handle = webauthn.base64url(user_handle);
  return { options, cookie: sealed({ ...purpose, challenge, user_handle: handle }) };
}

export type PasskeyCredential = webauthn.KnownCredential & { user_handle: Uint8Array<ArrayBuffer> };

/** The passkeys of a user that work for this host name. */
export function credentialsOf(user: number, party: RelyingParty): Promise<PasskeyCredential[]> {
  return database.rows<PasskeyCredential>(sql`
    select credential_id, transports, user_handle from passkeys
    where user_id = ${user} and rp_id = ${party.id} order by id`);
}

interface NewPasskeyAnswer {
  input: Static<typeof newPasskey>;
  cookie: string | undefined;
}

/** Adds what the browser has made; returns recovery codes with the first one. All other sessions end. */
export async function add(
  caller: Caller,
  party: RelyingParty,
  { input, cookie }: NewPasskeyAnswer,
): Promise<string[] | undefined> {
  const answer = { input, cookie, purpose: purposeOf(caller, party) };
  const work = await storing(party, caller, answer);
  return write(caller, work).finally(forgetCallers);
}

type PasskeyOwner = Pick<Caller, "id" | "username" | "credential" | "visit">;

/**
 * Checks the answer of the browser; returns the work that stores the passkey. To set one up is only possible while the
 * user has none: it needs no more than the password.
 */
export async function storing(
  party: RelyingParty,
  owner: PasskeyOwner,
  { input, cookie, purpose }: NewPasskeyAnswer & { purpose: ChallengePurpose },
): Promise<(tx: Transaction) => Promise<string[] | undefined>> {
  const user = owner.id ?? 0;
  const challenge = challengeIn(cookie, purpose);
  const made = await webauthn
    .checkCreation(party, challenge.challenge, input.credential)
    .catch((error) => {
      if (!(error instanceof webauthn.NotAccepted)) throw error;
      throw invalid("credential", "This passkey was not accepted; try again");
    });
  return async (tx) => {
    const before = await lockUser(tx, user);
    await useUp(tx, challenge);
    if (!before.is_local) throw forbidden();
    if (purpose.for === "set up" && before.number > 0) {
      throw invalid("credential", "You have a passkey already; log in again");
    }
    if (before.number >= MOST_PASSKEYS) {
      throw invalid("name", `Use at most ${MOST_PASSKEYS} passkeys: remove one first`);
    }
    const user_handle = webauthn.fromBase64url(challenge.user_handle ?? "");
    const values = { user_id: user, name: input.name, rp_id: party.id, user_handle, ...made };
    const [added] = await tx
      .insert(passkeys)
      .values(values)
      .onConflictDoNothing()
      .returning({ id: passkeys.id });
    if (!added) throw invalid("credential", "This passkey was added before");
    const by = { ...audit.auditCaller(owner), target: before.username };
    await audit.addWithin(tx, { event: "passkey.added", ...by, details: { passkey: input.name } });
    // Who knows only the password must not stay.
    await signOut(tx, { user, except: owner.credential });
    return before.number === 0 ? generate(tx, by, user) : undefined;
  };
}

type AuditedUser = Omit<audit.AuditEntry, "event" | "details">;

async function generate(tx: Transaction, by: AuditedUser, user: number): Promise<string[]> {
  const codes = await recoveryCodes.generate(tx, user);
  const details = { codes: codes.length };
  await audit.addWithin(tx, { event: "recovery_codes.created", ...by, details });
  return codes;
}

interface LockedUser {
  username: string;
  /** An active account with a password here. */
  is_local: boolean;
  must_have: boolean;
  number: number;
}

async function lockUser(tx: Transaction, id: number): Promise<LockedUser> {
  // The passkeys are counted after the lock is there: those of a concurrent request count.
  await tx.execute(sql`select from users where id = ${id} for no key update`);
  const [found] = await tx.execute(sql`
    select username, password_hash is not null and deactivated_at is null as is_local, ${needsPasskey} as must_have,
      (select count(*)::int from passkeys where user_id = users.id) as number
    from users where id = ${id}`);
  if (!found) throw notFound();
  return found as unknown as LockedUser;
}

/** New recovery codes in place of the earlier ones. */
export async function newCodes(caller: Caller, password: string | undefined): Promise<string[]> {
  await requireConfirmed(caller, password);
  return write(caller, async (tx) => {
    const { username: target, number } = await lockUser(tx, caller.id ?? 0);
    if (number === 0) throw invalid("passkey", "Add a passkey first: recovery codes replace it");
    return generate(tx, { ...audit.auditCaller(caller), target }, caller.id ?? 0);
  });
}

/** Renames a passkey of the caller. Nobody logs in differently by that, so sessions stay. */
export async function rename(
  caller: Caller,
  id: number,
  { name, password }: { name: string; password: string | undefined },
): Promise<void> {
  await requireConfirmed(caller, password);
  await write(caller, async (tx) => {
    const user = caller.id ?? 0;
    const { username: target } = await lockUser(tx, user);
    const own = and(eq(passkeys.id, id), eq(passkeys.user_id, user));
    const [before] = await tx.select({ name: passkeys.name }).from(passkeys).where(own);
    if (!before) throw notFound();
    if (before.name === name) return;
    await tx.update(passkeys).set({ name }).where(own);
    const details = { passkey: name, before: before.name };
    await audit.addBy(tx, caller, { event: "passkey.renamed", target, details });
  });
}

/** Removes a passkey of the caller. Who needs one keeps the last one. */
export async function remove(
  caller: Caller,
  id: number,
  password: string | undefined,
): Promise<void> {
  await requireConfirmed(caller, password);
  await removePasskey(caller, { id, user: caller.id ?? 0, isOwn: true });
}

/** Removes a passkey of another user, who has lost it. */
export async function removeOf(caller: Caller, user: number, id: number): Promise<void> {
  requireAdmin(caller);
  await removePasskey(caller, { id, user, isOwn: false });
}

/** Removes all passkeys of a user, and the recovery codes. */
export async function removeAll(caller: Caller, user: number): Promise<number> {
  requireAdmin(caller);
  const found = await database.rows<{ id: number }>(
    sql`select id from passkeys where user_id = ${user} order by id`,
  );
  for (const { id } of found) await removePasskey(caller, { id, user, isOwn: false });
  return found.length;
}

interface PasskeyToRemove {
  id: number;
  user: number;
  isOwn: boolean;
}

async function removePasskey(caller: Caller, { id, user, isOwn }: PasskeyToRemove): Promise<void> {
  await write(caller, async (tx) => {
    const { username: target, must_have, number } = await lockUser(tx, user);
    const [removed] = await tx
      .delete(passkeys)
      .where(sql`${eq(passkeys.id, id)} and ${eq(passkeys.user_id, user)}`)
      .returning({ name: passkeys.name });
    if (!removed) throw notFound();
    if (isOwn && must_have && number === 1) {
      throw invalid(
        "passkey",
        "Your group needs a passkey: add another one before you remove this",
      );
    }
    if (number === 1) await recoveryCodes.forget(tx, user);
    const details = { passkey: removed.name };
    const by = audit.auditCaller(caller);
    await audit.addWithin(tx, { event: "passkey.removed", ...by, target, details });
    await signOut(tx, { user, except: isOwn ? caller.credential : undefined });
  }).finally(forgetCallers);
}

/** In a session that is not fresh the password is needed. */
async function requireConfirmed(caller: Caller, password: string | undefined): Promise<void> {
  const found = await database.row<{ is_local: boolean }>(
    sql`select password_hash is not null as is_local from users where id = ${caller.id}`,
  );
  if (!found?.is_local) throw invalid("passkey", "Passkeys are for accounts with a password here");
  await confirmUnlessFresh(caller, password);
}
