import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth.ts";

export interface Session {
  id: number;
  address: string | null;
  created_at: string;
  last_seen_at: string;
  is_this: boolean;
}

/** Where one is logged in, the latest first. */
export function list(caller: Caller): Promise<Session[]> {
  const { kind, id } = caller.credential ?? {};
  return database.rows<Session>(sql`
    select id::int, address, shown(created_at) as created_at, shown(last_seen_at) as last_seen_at,
      id = ${kind === "session" ? (id ?? 0) : 0} as is_this
    from sessions where user_id = ${caller.id} and expires_at > now() and last_seen_at > now() - interval '2 hours'
    order by last_seen_at desc, id desc limit 50`);
}
