import { type Static, Type } from "@sinclair/typebox";
import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { scopes } from "../../db/tables/network.ts";
import { tokens, users } from "../../db/tables/user.ts";
import * as audit from "../auth/audit.ts";
import {
  type Caller,
  consoleCaller,
  forgetCallers,
  isConsole,
  requireAdmin,
} from "../auth/auth.ts";
import { personalToken } from "../auth/secret.ts";
import { isLimited, LIMIT_NAMES } from "../auth/token_limits.ts";
import { blockAt, formatBlock, readAddress, readBlock } from "../input/addresses.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notFound,
  refuse,
  unauthenticated,
} from "../input/errors.ts";
import { closed } from "../input/shape.ts";
import * as crud from "../store/crud.ts";
import * as records from "../store/records.ts";
import { creationFields, recordQuery } from "../store/resource.ts";
import { unknownRecord } from "../store/unknown_name.ts";
import { refuseIdempotencyKey, type Transaction, write } from "../store/write.ts";
import { confirmUnlessFresh } from "./confirmation.ts";
import { CURRENT_PASSWORD } from "./passwords.ts";
import { DEFAULT_OVERLAP, OVERLAP, SCOPE_NAMES, type Token, token } from "./token.ts";

export const newToken = closed(creationFields(token));

const current_password = Type.Optional(CURRENT_PASSWORD);
/** The input of the token form. */
export const confirmedToken = closed({ ...newToken.properties, current_password });

export const rotation = closed({ overlap_minutes: Type.Optional(OVERLAP) });
/** The input of the form that rotates a token. */
export const confirmedRotation = closed({ ...rotation.properties, current_password });

/** A token with its secret, which is shown once. */
export type ShownToken = Token & { token: string };

/** The caller's active personal tokens. */
export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Token>> {
  return records.list(
    recordQuery(token, caller),
    params,
    sql`${ownedBy(caller)} and ${tokens.kind} = 'personal' and ${active}`,
  );
}

/** One of the caller's active personal tokens. */
export function find(caller: Caller, id: number): Promise<records.RecordJson<Token>> {
  const own = sql`${tokens.id} = ${id} and ${ownedBy(caller)}`;
  return records.find(
    recordQuery(token, caller),
    sql`${own} and ${tokens.kind} = 'personal' and ${active}`,
  );
}

export async function createInSession(
  caller: Caller,
  { current_password, ...input }: Static<typeof confirmedToken>,
): Promise<records.RecordJson<ShownToken>> {
  if (input.expires_at) futureTime(input.expires_at);
  await confirmUnlessFresh(caller, current_password);
  return create(caller, input);
}

/** Returns the record with the token itself, which cannot be read again. */
export function create(
  caller: Caller,
  input: Static<typeof newToken>,
): Promise<records.RecordJson<ShownToken>> {
  return createFor(caller, caller.id ?? 0, input);
}

/** Only the console may create tokens for other people; for service accounts: see service_accounts.ts. */
export async function createFor(
  caller: Caller,
  owner: number,
  input: Static<typeof newToken>,
): Promise<records.RecordJson<ShownToken>> {
  if (owner !== caller.id && !isConsole(caller)) throw forbidden();
  return write(caller, (tx) => createIn(tx, caller, owner, input));
}

/** Part of a larger write. */
export async function createIn(
  tx: Transaction,
  caller: Caller,
  owner: number,
  input: Static<typeof newToken>,
): Promise<records.RecordJson<ShownToken>> {
  refuseIdempotencyKey(caller);
  if (isLimited(caller)) throw forbidden("A token with limits cannot create tokens");
  if (owner === caller.id) await refuseService(tx, owner);
  const expires_at = input.expires_at ? futureTime(input.expires_at) : null;
  const { description = null, read_only = false } = input;
  const limits = LIMIT_NAMES.filter((limit) => input.limits?.includes(limit));
  const networks = [...new Set((input.networks ?? []).map(blockOf))];
  const scope_ids = input.scopes?.length ? await idsOfScopes(tx, caller, input.scopes) : [];
  const { key, secret_hash, token: secret } = personalToken();
  const restrictions = { read_only, limits, networks, scope_ids };
  const values = { user_id: owner, description, ...restrictions, expires_at };
  const [made] = await tx
    .insert(tokens)
    .values({
      ...values,
      kind: "personal",
      key,
      secret_hash,
      ...(caller.at && { created_at: caller.at }),
    })
    .returning({ id: tokens.id });
  const id = made?.id ?? 0;
  await log(tx, caller, {
    event: "token.created",
    owner,
    description,
    details: {
      token: id,
      read_only,
      limits: limits.join(", "),
      networks: networks.join(", "),
      scopes: (input.scopes ?? []).join(", "),
      expires_at: input.expires_at ?? null,
    },
  });
  return withSecret(tx, id, secret);
}

async function idsOfScopes(tx: Transaction, caller: Caller, names: string[]): Promise<number[]> {
  const found = await tx.select({ id: scopes.id, name: scopes.name }).from(scopes);
  const ids = new Map(found.map(({ id, name }) => [name.toLowerCase(), id]));
  const unknown = names.filter((name) => !ids.has(name.toLowerCase()));
  const errors: FieldError[] = [];
  for (const name of unknown) {
    const wrong = { field: "scopes", name, table: "scopes", noun: "scope" };
    errors.push(await unknownRecord(tx, caller, wrong));
  }
  if (errors.length > 0) throw refuse(errors);
  return names.flatMap((name) => ids.get(name.toLowerCase()) ?? []);
}

/** The tokens of a service account are created by admins. */
async function refuseService(tx: Transaction, id: number): Promise<void> {
  const [found] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), users.is_service));
  if (found) throw forbidden("Admins create the tokens of this service account");
}

/** An address is stored as the block that contains only it. */
function blockOf(text: string): string {
  const address = readAddress(text);
  const block = address ? blockAt(address, address.family === 4 ? 32 : 128) : readBlock(text);
  return block ? formatBlock(block) : text;
}

/**
 * Gives a token of the caller another secret; its rights and its end stay. The former secret is valid for the overlap, one
 * that is older no longer. The former secret cannot rotate the token: of two rotations by the token itself one succeeds.
 */
export function rotate(
  caller: Caller,
  id: number,
  input: Static<typeof rotation>,
): Promise<records.RecordJson<ShownToken>> {
  return rotateThose(caller, { id, owned: ownedBy(caller) }, input);
}

export async function rotateInSession(
  caller: Caller,
  id: number,
  { current_password, ...input }: Static<typeof confirmedRotation>,
): Promise<records.RecordJson<ShownToken>> {
  await confirmUnlessFresh(caller, current_password);
  return rotate(caller, id, input);
}

/** `owned` is true of the tokens that the caller may rotate. */
export async function rotateThose(
  caller: Caller,
  { id, owned }: { id: number; owned: SQL },
  { overlap_minutes = DEFAULT_OVERLAP }: Static<typeof rotation>,
): Promise<records.RecordJson<ShownToken>> {
  refuseIdempotencyKey(caller);
  const { credential } = caller;
  const isItself = credential?.kind === "personal" && credential.id === id;
  if (isLimited(caller) && !isItself) {
    throw forbidden("A token with limits can rotate only itself");
  }
  if (isItself && credential.rotation === undefined) throw replaced();
  return write(caller, async (tx) => {
    // Waits for other rotations of the token: the row is checked again after them.
    const [known] = await tx
      .select({ key: tokens.key, rotation: tokens.rotation, ...OWNER })
      .from(tokens)
      .where(sql`${tokens.id} = ${id} and ${tokens.kind} = 'personal' and ${owned} and ${active}`)
      .for("no key update");
    if (!known) throw notFound();
    if (isItself && known.rotation !== credential.rotation) throw replaced();
    const { secret_hash, token: secret } = personalToken(known.key);
    const until = sql`now() + make_interval(mins => ${overlap_minutes})`;
    await tx
      .update(tokens)
      .set({
        secret_hash,
        rotation: sql`${tokens.rotation} + 1`,
        rotated_at: sql`now()`,
        previous_hash: overlap_minutes > 0 ? sql`${tokens.secret_hash}` : null,
        previous_until: overlap_minutes > 0 ? until : null,
      })
      .where(eq(tokens.id, id));
    const { owner, description } = known;
    const details = { token: id, overlap_minutes };
    await log(tx, caller, { event: "token.rotated", owner, description, details });
    return withSecret(tx, id, secret);
  }).finally(forgetCallers);
}

const OWNER = { owner: tokens.user_id, description: tokens.description };

function replaced() {
  return unauthenticated("This token has a newer secret, and only that one can rotate it");
}

async function withSecret(
  tx: Transaction,
  id: number,
  secret: string,
): Promise<records.RecordJson<ShownToken>> {
  const found = await crud.find(token, consoleCaller, id, { tx });
  return {
    json: JSON.stringify({ ...records.rowOf(found), token: secret }),
    version: found.version,
  };
}

export interface OwnedToken extends Token {
  username: string;
}

/** Personal tokens of all users or of one: for the console only. */
export function listOfUsers(caller: Caller, username?: string): Promise<OwnedToken[]> {
  if (!isConsole(caller)) throw forbidden();
  const chosen = username === undefined ? sql`true` : sql`users.username = ${username}`;
  // In SQL: times are shown by functions of the database.
  return database.rows<OwnedToken>(sql`
    select tokens.id, users.username, tokens.description, tokens.read_only, tokens.limits, tokens.networks,
      ${SCOPE_NAMES} as scopes,
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
  requireAdmin(caller);
  await revokeThose(caller, sql`${tokens.id} = ${id} and ${tokens.kind} = 'personal'`);
}

export async function revokeThose(caller: Caller, chosen: SQL): Promise<void> {
  await write(caller, async (tx) => {
    const [revoked] = await tx
      .update(tokens)
      .set({ revoked_at: sql`now()` })
      .where(and(chosen, active))
      .returning({ id: tokens.id, kind: tokens.kind, ...OWNER });
    if (!revoked) throw notFound();
    const { id: token, kind, owner, description } = revoked;
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
