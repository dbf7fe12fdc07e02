import { type Static, Type } from "@sinclair/typebox";
import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { tokens, users } from "../../db/tables/user.ts";
import * as audit from "../auth/audit.ts";
import { type Caller, consoleCaller, forgetCallers, isAdmin, isConsole } from "../auth/auth.ts";
import { personalToken } from "../auth/secret.ts";
import { forbidden, invalid, notFound } from "../input/errors.ts";
import { closed } from "../input/shape.ts";
import * as crud from "../store/crud.ts";
import * as records from "../store/records.ts";
import { creation, recordQuery } from "../store/resource.ts";
import { type Transaction, write } from "../store/write.ts";
import { confirm } from "./confirmation.ts";
import { CURRENT_PASSWORD } from "./passwords.ts";
import { isFresh } from "./sessions.ts";
import { providerOf } from "./sign_in/identity.ts";
import { type Token, token } from "./token.ts";

export const newToken = closed(creation(token));

/** The input of the token form. */
export const confirmedToken = closed({
  ...newToken.properties,
  current_password: Type.Optional(CURRENT_PASSWORD),
});

/** A new token with its secret, which is shown once. */
type ShownToken = Token & { token: string };

/** The caller's active personal tokens. */
export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Token>> {
  return records.list(
    recordQuery(token, caller),
    params,
    sql`${ownedBy(caller)} and ${tokens.kind} = 'personal' and ${active}`,
  );
}

/** From a browser: an older session has to confirm the password. */
export async function createInSession(
  caller: Caller,
  { current_password, ...input }: Static<typeof confirmedToken>,
  address: string,
): Promise<records.RecordJson<ShownToken>> {
  if (input.expires_at) futureTime(input.expires_at);
  if (!(await isFresh(caller))) {
    if (await providerOf(caller.id ?? 0)) throw invalid("current_password", LOG_IN_AGAIN);
    await confirm(caller, { password: current_password, address });
  }
  return create(caller, input);
}

const LOG_IN_AGAIN =
  "You logged in more than 15 minutes ago and have no password here: log out, and log in again";

/** Returns the record with the token itself, which cannot be read again. */
export function create(
  caller: Caller,
  input: Static<typeof newToken>,
): Promise<records.RecordJson<ShownToken>> {
  return createFor(caller, caller.id ?? 0, input);
}

/** Only the console may create tokens for other users. */
export async function createFor(
  caller: Caller,
  owner: number,
  input: Static<typeof newToken>,
): Promise<records.RecordJson<ShownToken>> {
  if (owner !== caller.id && !isConsole(caller)) throw forbidden();
  refuseIdempotencyKey(caller);
  return write(caller, async (tx) => {
    const expires_at = input.expires_at ? futureTime(input.expires_at) : null;
    const { description = null, read_only = false } = input;
    const made = await insert(tx, { user_id: owner, description, read_only, expires_at });
    const details = {
      token: records.rowOf(made).id,
      read_only,
      expires_at: input.expires_at ?? null,
    };
    await log(tx, caller, { event: "token.created", owner, description, details });
    return made;
  });
}

/**
 * Replaces a token of the caller by a new one with the same description, rights and expiry. One statement finds and
 * revokes the old one, so that only one of two concurrent rotations succeeds.
 */
export async function rotate(caller: Caller, id: number): Promise<records.RecordJson<ShownToken>> {
  refuseIdempotencyKey(caller);
  return write(caller, async (tx) => {
    const [revokedToken] = await tx
      .update(tokens)
      .set({ revoked_at: sql`now()` })
      .where(and(eq(tokens.id, id), eq(tokens.kind, "personal"), ownedBy(caller), active))
      .returning(ROTATED_FIELDS);
    if (!revokedToken) throw notFound();
    const made = await insert(tx, revokedToken);
    const { user_id: owner, description } = revokedToken;
    const details = { token: records.rowOf(made).id, replaces: id };
    await log(tx, caller, { event: "token.rotated", owner, description, details });
    return made;
  }).finally(forgetCallers);
}

const ROTATED_FIELDS = {
  user_id: tokens.user_id,
  description: tokens.description,
  read_only: tokens.read_only,
  expires_at: tokens.expires_at,
};

function refuseIdempotencyKey({ options }: Caller): void {
  if (!options?.idempotency) return;
  throw invalid("Idempotency-Key", "A token is shown only once; leave out the idempotency key");
}

type TokenValues = Pick<typeof tokens.$inferSelect, keyof typeof ROTATED_FIELDS>;

async function insert(
  tx: Transaction,
  values: TokenValues,
): Promise<records.RecordJson<ShownToken>> {
  const { key, secret_hash, token: shown } = personalToken();
  const [made] = await tx
    .insert(tokens)
    .values({ ...values, kind: "personal", key, secret_hash })
    .returning({ id: tokens.id });
  const found = await crud.find(token, consoleCaller, made?.id ?? 0, { tx });
  return {
    json: JSON.stringify({ ...records.rowOf(found), token: shown }),
    version: found.version,
  };
}

interface OwnedToken extends Token {
  username: string;
}

/** Personal tokens of all users or of one: for the console only. */
export function listOfUsers(caller: Caller, username?: string): Promise<OwnedToken[]> {
  if (!isConsole(caller)) throw forbidden();
  const chosen = username === undefined ? sql`true` : sql`users.username = ${username}`;
  // In SQL: times are shown by functions of the database.
  return database.rows<OwnedToken>(sql`
    select tokens.id, users.username, tokens.description, tokens.read_only,
      shown(tokens.created_at) as created_at, shown(tokens.expires_at) as expires_at,
      shown(tokens.last_used_at) as last_used_at
    from tokens join users on users.id = tokens.user_id
    where ${chosen} and tokens.kind = 'personal' and ${active}
    order by users.username, tokens.id`);
}

/** Revokes a token of the caller: a personal one by id, a login token by its jti. */
export async function revoke(
  caller: Caller,
  which: { id: number } | { jti: string },
): Promise<void> {
  const chosen = "id" in which ? eq(tokens.id, which.id) : eq(tokens.key, which.jti);
  await revokeThose(caller, sql`${chosen} and ${ownedBy(caller)}`);
}

/** Revokes a personal token of any user. */
export async function revokeOfAnyone(caller: Caller, id: number): Promise<void> {
  if (!isAdmin(caller)) throw forbidden();
  await revokeThose(caller, sql`${tokens.id} = ${id} and ${tokens.kind} = 'personal'`);
}

async function revokeThose(caller: Caller, chosen: SQL): Promise<void> {
  await write(caller, async (tx) => {
    const [revoked] = await tx
      .update(tokens)
      .set({ revoked_at: sql`now()` })
      .where(and(chosen, active))
      .returning({ id: tokens.id, kind: tokens.kind, ...ROTATED_FIELDS });
    if (!revoked) throw notFound();
    const { id: token, kind, user_id: owner, description } = revoked;
    await log(tx, caller, { event: "token.revoked", owner, description, details: { token, kind } });
  }).finally(forgetCallers);
}

interface TokenEvent {
  event: audit.AuditEvent;
  owner: number;
  description: string | null;
  details: audit.AuditEntry["details"];
}

/** The target is the owner: a token is known by its description, which is no secret. */
async function log(
  tx: Transaction,
  caller: Caller,
  { owner, ...about }: TokenEvent,
): Promise<void> {
  const [user] = await tx.select({ name: users.username }).from(users).where(eq(users.id, owner));
  const { event, description, details } = about;
  await audit.addWithin(tx, {
    event,
    ...audit.auditCaller(caller),
    target: user?.name ?? null,
    details: { description, ...details },
  });
}

export const active = sql`${tokens.revoked_at} is null and (${tokens.expires_at} is null or ${tokens.expires_at} > now())`;

function ownedBy(caller: Caller) {
  return isConsole(caller) ? sql`true` : sql`${tokens.user_id} = ${caller.id}`;
}

function futureTime(text: string): Date {
  const time = new Date(`${text.slice(0, 10)}T${text.slice(11) || "23:59"}Z`);
  const isReal = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 10));
  if (!isReal || time.getTime() <= Date.now()) throw invalid("expires_at", "Use a future date");
  return time;
}
