import { and, eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { sessions } from "../../db/tables/user.ts";
import type { Caller } from "../auth/auth.ts";

export interface Session {
  id: number;
  address: string | null;
  created_at: string;
  last_seen_at: string;
  is_this: boolean;
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
