// Callers, their groups and permissions.
import { timingSafeEqual } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { forbidden, type Refusal, unauthenticated } from "../input/errors.ts";
import { longs } from "../input/keys.ts";
import * as jwt from "./jwt.ts";
import { holdsSomewhere, RIGHTS_COLUMN, type Right, type RightSomewhere } from "./rights.ts";
import { readPersonalToken, sha256 } from "./secret.ts";
import {
  isUsableFrom,
  type Limit,
  restrictionsOf,
  type TokenRestrictions,
  withinScopes,
} from "./token_limits.ts";

export const GROUPS = ["admin", "auditor", "inventory", "network"] as const;
export type UserGroup = (typeof GROUPS)[number];

/** A group or, for routes whose records are in a scope or a location, a right on one of those. */
export type Permission = UserGroup | RightSomewhere;

/** Who may call a route: every authenticated caller, or those with one of these permissions. */
export type Allowed = "everyone" | readonly Permission[];

/** Where a request came from. */
export interface Visit {
  /** Of the client. */
  address: string;
  request_id: string;
}

export interface Caller {
  /** null for the commands of the machine's administrator */
  id: number | null;
  username: string;
  groups: readonly UserGroup[];
  /** What the caller may do in some places only. */
  rights?: readonly Right[];
  read_only: boolean;
  /** The token or session of the request. */
  credential?: Credential;
  /** The limits of the token of the request, if it has any: see token_limits.ts. */
  token?: TokenRestrictions;
  /** The request in which the caller acts; undefined outside of requests. */
  visit?: Visit;
  /** Options of a write, besides its body. */
  options?: WriteOptions;
  /** The time of the change, for demo data with a past. */
  at?: Date;
}

export interface Credential {
  kind: "login" | "personal" | "session";
  id: number;
  /** How often the token was rotated before; undefined if the request has its former secret. */
  rotation?: number | undefined;
  /** The rotation that made the secret of the request. */
  secret?: number | undefined;
}

export interface WriteOptions {
  dry_run: boolean;
  /** Allows what is refused only as a precaution, such as the address of the gateway; for admins. */
  force?: boolean;
  /** The answer nests records instead of names. */
  recursive?: boolean;
  if_match: string | null;
  idempotency?: { key: string; fingerprint: string };
  /** Refuses an item that is probably another one too. */
  unique_serial?: boolean;
  /** Called with what the caller should know of a write that is not refused. */
  onWarning?: (message: string) => void;
  /** Called with the id of the change set when it is committed. */
  onCommit?: (changeSet: number) => void;
  /** The larger write that a write of this caller is part of: see `partOf` in store/write.ts. */
  within?: database.Transaction;
}

/** Those of the request, or of work that no request asks for. */
export function writeOptionsOf({ options }: Pick<Caller, "options">): WriteOptions {
  return options ?? { dry_run: false, if_match: null };
}

/** The administrator who runs a command of the console. */
export const consoleCaller: Caller = {
  id: null,
  username: "machine",
  groups: ["admin"],
  read_only: false,
};

/** The user whose limits the work counts for; undefined outside of requests, where there are none. */
export function limitedUser({ username, visit }: Caller): string | undefined {
  return visit && username;
}

export function isConsole(caller: Pick<Caller, "id">): boolean {
  return caller.id === null;
}

export function isAdmin(caller: Caller): boolean {
  return caller.groups.includes("admin");
}

export function requireAdmin(caller: Caller): void {
  if (!isAdmin(caller)) throw forbiddenExcept(["admin"]);
}

/** May read everything, also sensitive records. */
export function seesAll(caller: Caller): boolean {
  return isAdmin(caller) || caller.groups.includes("auditor");
}

/** The same caller with dry_run: writes are rolled back. */
export function asDryRun(caller: Caller): Caller {
  const options = caller.options ?? { if_match: null };
  return { ...caller, options: { ...options, dry_run: true } };
}

/** The same for a draft, whatever version is expected: that is checked when the draft is saved. */
export function asDryRunOfDraft(caller: Caller): Caller {
  return { ...caller, options: { dry_run: true, if_match: null } };
}

export function may(caller: Caller, allowed: Allowed): boolean {
  if (allowed === "everyone") return true;
  return allowed.some(
    (one) => caller.groups.includes(one as UserGroup) || holdsSomewhere(caller, one),
  );
}

function forbiddenExcept(allowed: Allowed): Refusal {
  return forbidden(`Only ${whoMay(allowed)} may do this`);
}

/** Who may call a route, for those who may not, inside a sentence. */
export function whoMay(allowed: readonly string[] | "everyone"): string {
  const group = [...allowed].find((one) => GROUPS_IN_WORDS.test(one));
  return group ? `users in the group ${group} and admins` : "admins";
}

const GROUPS_IN_WORDS = /^(inventory|network|auditor)$/;

/** Checks the permissions of the caller, before any id is looked up. */
export function permit(caller: Caller, allowed: Allowed, writes: boolean): void {
  if (!may(caller, allowed)) throw forbiddenExcept(allowed);
  if (writes && caller.read_only) throw forbidden("This token is read-only");
}

const preparing: Array<() => Promise<void>> = [];

/** Registers what has to be known before a caller is served. */
export function beforeCallers(prepare: () => Promise<void>): void {
  preparing.push(prepare);
}

export async function prepareForCallers(): Promise<void> {
  for (const prepare of preparing) await prepare();
}

/** The caller of an Authorization header. */
export async function identify(header: string | null, visit: Visit): Promise<Caller> {
  await prepareForCallers();
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  const caller = token && (await cached(`bearer ${token}`, () => ownerOf(token, visit)));
  if (!caller) throw unauthenticated();
  return { ...caller, visit };
}

/** The caller of a session cookie; undefined if the session has ended. */
export async function identifySession(secret: string, visit: Visit): Promise<Caller | undefined> {
  await prepareForCallers();
  const load = () => ownerOfSession(secret, { isActivity: true, visit });
  const caller = await cached(`session ${secret}`, load);
  return caller && { ...caller, visit };
}

/** The same for a request that a page sends by itself, which does not keep the session alive. */
export async function identifyIdleSession(
  secret: string,
  visit: Visit,
): Promise<Caller | undefined> {
  await prepareForCallers();
  const load = () => ownerOfSession(secret, { isActivity: false, visit });
  const caller = await cached(`idle session ${secret}`, load);
  return caller && { ...caller, visit };
}

// Valid credentials are cached for less than a second: so a revocation reaches every instance within a second,
// and this instance at once.
const CACHE_TIME = 900;
const MAX_CACHED = 10_000;
const callers = new Map<string, { caller: Caller; until: number }>();
let generation = 0;
/** Requests that come at once with the same credential share one query. */
const loading = new Map<string, Promise<Caller | undefined>>();

const forgetting: Array<() => void> = [];

/** Registers a function that is called after a change of a token, a session or a user in this process. */
export function onForget(listener: () => void): void {
  forgetting.push(listener);
}

/** Clears the cache. Call it after a change of a token, a session or a user. */
export function forgetCallers(): void {
  generation += 1;
  callers.clear();
  loading.clear();
  for (const listener of forgetting) listener();
}

async function cached(
  cacheKey: string,
  load: () => Promise<Caller | undefined>,
): Promise<Caller | undefined> {
  const known = callers.get(cacheKey);
  if (known && known.until > performance.now()) return known.caller;
  const underWay = loading.get(cacheKey);
  if (underWay !== undefined) return underWay;
  const result = loadAndCache(cacheKey, load).finally(() => {
    if (loading.get(cacheKey) === result) loading.delete(cacheKey);
  });
  loading.set(cacheKey, result);
  return result;
}

async function loadAndCache(
  cacheKey: string,
  load: () => Promise<Caller | undefined>,
): Promise<Caller | undefined> {
  const before = generation;
  const caller = await load();
  callers.delete(cacheKey);
  // If something was revoked during the query, its result may be outdated.
  if (caller && before === generation) {
    if (callers.size >= MAX_CACHED) callers.clear();
    callers.set(cacheKey, { caller, until: performance.now() + CACHE_TIME });
  }
  return caller;
}

interface CredentialOwner {
  id: number;
  username: string;
  groups: UserGroup[];
  rights: Right[] | null;
  credential: number;
  read_only: boolean;
  secret_hash: Uint8Array | null;
  unused: boolean;
}

interface TokenOwner extends CredentialOwner {
  /** The former secret, while it is still valid. */
  previous_hash: Uint8Array | null;
  rotation: number;
  limits: Limit[];
  networks: string[];
  scope_ids: Iterable<number>;
}

/** Users with a valid token, or with a session that has not ended. */
const TOKEN_OWNERS = sql`
  select users.id, users.username, users.groups, ${RIGHTS_COLUMN} as rights, tokens.id as credential, tokens.kind,
    tokens.read_only, tokens.secret_hash,
    case when tokens.previous_until > now() then tokens.previous_hash end as previous_hash, tokens.rotation,
    tokens.limits, tokens.networks, tokens.scope_ids,
    coalesce(tokens.last_used_at < now() - interval '1 minute', true) and not pg_is_in_recovery() as unused
  from tokens join users on users.id = tokens.user_id
  where tokens.revoked_at is null and (tokens.kind = 'personal' or not users.is_service)
    and users.deactivated_at is null and (tokens.expires_at is null or tokens.expires_at > now())`;
const SESSION_OWNERS = sql`
  select users.id, users.username, users.groups, ${RIGHTS_COLUMN} as rights, sessions.id as credential, false as read_only,
    null as secret_hash, sessions.last_seen_at < now() - interval '1 minute' and not pg_is_in_recovery() as unused
  from sessions join users on users.id = sessions.user_id
  where users.deactivated_at is null and not users.is_service and sessions.expires_at > now()
    and sessions.last_seen_at > now() - interval '2 hours'`;

async function ownerOf(token: string, { address }: Visit): Promise<Caller | undefined> {
  const personal = token.startsWith("cad_") ? readPersonalToken(token) : undefined;
  const key = personal?.key ?? (token.startsWith("cad_") ? undefined : await jwt.verify(token));
  if (!key) return undefined;
  const kind = personal ? "personal" : "login";
  const owner = await database.row<TokenOwner>(
    sql`${TOKEN_OWNERS} and tokens.key = ${key} and tokens.kind = ${kind}`,
  );
  if (!owner) return undefined;
  const isCurrent = !personal || isSecret(owner.secret_hash, personal.secret);
  if (!isCurrent && !isSecret(owner.previous_hash, personal.secret)) return undefined;
  const secret = isCurrent ? owner.rotation : owner.rotation - 1;
  const caller = holderOf(owner, {
    kind,
    rotation: isCurrent ? owner.rotation : undefined,
    secret,
  });
  if (owner.unused && isUsableFrom(address, caller.token)) {
    const use = sql`
      update tokens set last_used_at = now(), last_used_from = ${address}
      where id = ${owner.credential} and coalesce(last_used_at < now() - interval '1 minute', true)`;
    await noteActivity(use, address);
  }
  return caller;
}

/** The holder of a token, with the limits of the token. */
function holderOf(owner: TokenOwner, used: Omit<Credential, "id">): Caller {
  const limits = restrictionsOf(owner);
  const held = limits?.scopes.length ? { ...owner, ...withinScopes(owner, limits.scopes) } : owner;
  const caller = callerOf(held, used);
  return limits ? { ...caller, token: limits } : caller;
}

async function ownerOfSession(
  secret: string,
  { isActivity, visit }: { isActivity: boolean; visit: Visit },
): Promise<Caller | undefined> {
  const owner = await database.row<CredentialOwner>(
    sql`${SESSION_OWNERS} and sessions.secret_hash = ${sha256(secret)}`,
  );
  if (owner?.unused && isActivity) {
    const use = sql`
      update sessions set last_seen_at = now()
      where id = ${owner.credential} and last_seen_at < now() - interval '1 minute'`;
    await noteActivity(use, visit.address);
  }
  return owner && callerOf(owner, { kind: "session" });
}

/**
 * The present callers of these tokens and sessions, by one statement each. A credential that is not valid any more has none.
 */
export async function presentCallers(
  credentials: readonly Credential[],
): Promise<Map<Credential, Caller>> {
  await prepareForCallers();
  const [ofSessions, ofTokens] = [true, false].map((isSession) =>
    credentials.filter(({ kind }) => (kind === "session") === isSession),
  );
  const [sessions, tokens] = await Promise.all([
    ownersOf<CredentialOwner>(SESSION_OWNERS, sql`sessions.id`, ofSessions),
    ownersOf<TokenOwner>(TOKEN_OWNERS, sql`tokens.id`, ofTokens),
  ]);
  const found = new Map<Credential, Caller>();
  for (const one of credentials) {
    if (one.kind === "session") {
      const owner = sessions.get(String(one.id));
      if (owner) found.set(one, callerOf(owner, one));
    } else {
      const owner = tokens.get(String(one.id));
      if (owner && hasSecret(owner, one)) found.set(one, holderOf(owner, one));
    }
  }
  return found;
}

async function ownersOf<Row extends CredentialOwner>(
  owners: SQL,
  id: SQL,
  credentials: readonly Credential[] = [],
): Promise<Map<string, Row>> {
  if (credentials.length === 0) return new Map();
  const ids = [...new Set(credentials.map((one) => one.id))];
  const found = await database.rows<Row>(sql`${owners} and ${id} = any(${longs(ids)})`);
  return new Map(found.map((owner) => [String(owner.credential), owner]));
}

/** Of a token that was rotated since, only the former secret is valid, and for a limited time. */
function hasSecret({ rotation, previous_hash }: TokenOwner, { secret }: Credential): boolean {
  return secret === rotation || (secret === rotation - 1 && previous_hash !== null);
}

function callerOf(owner: CredentialOwner, used: Omit<Credential, "id">): Caller {
  const { id, username, groups, rights, read_only, credential } = owner;
  return {
    id,
    username,
    groups,
    ...(rights && { rights }),
    read_only,
    credential: { ...used, id: credential },
  };
}

function isSecret(hash: Uint8Array | null, secret: string): boolean {
  return hash !== null && timingSafeEqual(hash, sha256(secret));
}

/**
 * Notes the use of a session or a token, by the statement that updates its row, and that its user was here. To the
 * minute: a busy token costs one write a minute, and of many requests at once all but one write nothing.
 */
async function noteActivity(use: SQL, address: string): Promise<void> {
  await database.execute(sql`
    with used as (${use} returning user_id),
    -- A read must not wait until a replica has this, which may be away.
    unhurried as materialized (select set_config('synchronous_commit', 'off', true))
    insert into user_activity (user_id, at, address)
    select user_id, now(), ${address} from used, unhurried
    on conflict (user_id) do update set at = now(), address = excluded.address`);
}
