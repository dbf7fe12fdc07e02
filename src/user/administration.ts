// Users and tokens for admins.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { tokens } from "../../db/tables/user.ts";
import { type Caller, requireAdmin } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { literal, textError } from "../input/text.ts";
import * as records from "../store/records.ts";
import { recordQuery } from "../store/resource.ts";
import { type Account, account } from "./account.ts";
import { type HeldToken, heldToken } from "./held_token.ts";
import { active } from "./tokens.ts";

/** Without service accounts, which are listed apart. */
const people = sql`not users.is_service`;

/** All people, deactivated ones too. */
export function accounts(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<Account>> {
  requireAdmin(caller);
  return records.list(recordQuery(account, caller), params, people);
}

export function accountQuery(caller: Caller): records.RecordQuery<Account> {
  return { ...recordQuery(account, caller), visible: people };
}

/** A user by name. */
export async function accountNamed(
  caller: Caller,
  username: string,
): Promise<records.RecordJson<Account>> {
  requireAdmin(caller);
  if (textError(username)) throw notFound();
  return records.find(recordQuery(account, caller), sql`users.username = ${username}`);
}

/** The active personal tokens of all users. */
export function heldTokens(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<HeldToken>> {
  requireAdmin(caller);
  return records.list(heldTokenQuery(caller), params);
}

export function heldTokenQuery(caller: Caller): records.RecordQuery<HeldToken> {
  const visible = sql`${tokens.kind} = 'personal' and ${active}`;
  return { ...recordQuery(heldToken, caller), visible };
}

export interface Figures {
  users: number;
  deactivated: number;
  service_accounts: number;
  sessions: number;
  tokens: number;
  /** Queued and running jobs, and those that failed within the last day. */
  jobs: number;
  failed_jobs: number;
  /** Of the last 24 hours. */
  events: number;
  refusals: number;
}

/** The figures of the overview for admins. */
export async function figures(caller: Caller): Promise<Figures | undefined> {
  requireAdmin(caller);
  return database.row<Figures>(sql`
    select
      (select count(*)::int from users where deactivated_at is null and ${people}) as users,
      (select count(*)::int from users where deactivated_at is not null and ${people}) as deactivated,
      (select count(*)::int from users where deactivated_at is null and is_service) as service_accounts,
      (select count(*)::int from sessions where expires_at > now()
        and last_seen_at > now() - interval '2 hours') as sessions,
      (select count(*)::int from tokens where kind = 'personal' and ${active}) as tokens,
      (select count(*)::int from jobs where status in ('queued', 'started')) as jobs,
      (select count(*)::int from jobs where status = 'failed') as failed_jobs,
      (select coalesce(sum(count), 0)::int from audit_log where at > now() - interval '1 day') as events,
      (select coalesce(sum(count), 0)::int from audit_log where at > now() - interval '1 day'
        and event in ('login.failed', 'access.refused', 'name.probed')) as refusals`);
}

/** Usernames that contain a text, for suggestions. */
export async function usernamesWith(caller: Caller, text: string): Promise<string[]> {
  requireAdmin(caller);
  const rows = await database.rows<{ username: string }>(sql`
    select username from users where username like ${`%${literal(text.toLowerCase())}%`} order by username limit 20`);
  return rows.map(({ username }) => username);
}
