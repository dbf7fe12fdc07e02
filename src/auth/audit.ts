// The audit log: security events that are not a change of a record.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { audit_log } from "../../db/tables/audit.ts";

export type AuditEvent = "login.failed" | "name.probed";

export interface AuditEntry {
  event: AuditEvent;
  user_id?: number | null;
  /** As it was typed: there may be no such user. */
  username?: string;
  address?: string;
  request_id?: string;
  details?: Record<string, string | number | boolean | null>;
}

/** Characters that are stored of a typed name. */
const LONGEST_NAME = 100;

/** Adds an entry, in a transaction of its own, so that it stays when the request is refused. */
export async function add(entry: AuditEntry): Promise<void> {
  const username = shortened(entry.username);
  const details = sql`${JSON.stringify(entry.details ?? {})}::text::jsonb`;
  await database.change(database.build.insert(audit_log).values({ ...entry, username, details }));
}

/** PostgreSQL keeps neither NUL nor half a character. */
function shortened(name: string | undefined): string | null {
  if (name === undefined) return null;
  return [...name.toWellFormed().replaceAll("\0", "\uFFFD")].slice(0, LONGEST_NAME).join("");
}
