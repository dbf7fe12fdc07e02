import { and, eq, isNull, ne, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { sessions, tokens } from "../../db/tables/user.ts";
import type { Caller } from "../auth/auth.ts";
import { sessionSecret, sha256 } from "../auth/secret.ts";
import type { Transaction } from "../store/write.ts";

export interface Session {
  id: number;
  address: string | null;
  created_at: string;
  last_seen_at: string;
  is_this: boolean;
}

/** A new browser session: returns the secret for the cookie; only its hash is stored. */
export async function open(user: number, address: string): Promise<string> {
  const made = sessionSecret();
  await database.execute(
    database.build.insert(sessions).values({
      user_id: user,
      secret_hash: sha256(made),
      address,
      expires_at: sql`now() + interval '12 hours'`,
    }),
  );
  return made;
}

/** The caller's sessions, the latest first. */
export function list(caller: Pick<Caller, "id" | "credential">): Promise<Session[]> {
  const { kind, id } = caller.credential ?? {};
  return database.rows<Session>(sql`
    select id::int, address, shown(created_at) as created_at, shown(last_seen_at) as last_seen_at,
      id = ${kind === "session" ? (id ?? 0) : 0} as is_this
    from sessions where user_id = ${caller.id} and expires_at > now() and last_seen_at > now() - interval '2 hours'
    order by last_seen_at desc, id desc limit 50`);
}

/** The sessions of any user, for admins. */
export function sessionsOf(id: number): Promise<Session[]> {
  return list({ id });
}

/** How long after the login no confirmation by password is needed. */
const FRESH = sql`interval '15 minutes'`;

/** Whether the session is recent enough to need no confirmation. */
export async function isFresh({ credential }: Caller): Promise<boolean> {
  const id = credential?.kind === "session" ? credential.id : 0;
  const found = await database.row(
    database.build
      .select({ created_at: sessions.created_at })
      .from(sessions)
      .where(and(eq(sessions.id, id), sql`${sessions.created_at} > now() - ${FRESH}`)),
  );
  return found !== undefined;
}

interface SignOut {
  user: number;
  except?: Caller["credential"];
  personalTokens?: boolean | undefined;
}

/** Ends the sessions and login tokens of a user and, if wanted, the personal tokens. */
export async function signOut(
  tx: Transaction,
  { user, except, personalTokens = false }: SignOut,
): Promise<void> {
  const session = except?.kind === "session" ? except.id : 0;
  const token = except && except.kind !== "session" ? except.id : 0;
  await tx.delete(sessions).where(and(eq(sessions.user_id, user), ne(sessions.id, session)));
  await revokeTokens(tx, { user, except: token, kind: personalTokens ? undefined : "login" });
}

interface Revocation {
  user: number;
  except?: number;
  kind: "login" | "personal" | undefined;
}

export async function revokeTokens(
  tx: Transaction,
  { user, except = 0, kind }: Revocation,
): Promise<void> {
  const isOpen = and(eq(tokens.user_id, user), ne(tokens.id, except), isNull(tokens.revoked_at));
  await tx
    .update(tokens)
    .set({ revoked_at: sql`now()` })
    .where(and(isOpen, kind && eq(tokens.kind, kind)));
}
