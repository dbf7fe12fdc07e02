// The audit log: events of accounts and permissions, which are not in the history of a record. An entry never holds
// a secret: no password, no token, no cookie.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { audit_log } from "../../db/tables/audit.ts";
import { storableText } from "../input/text.ts";
import { type Caller, isConsole } from "./auth.ts";

/** All kinds of entries, with their meanings. */
export const EVENTS = {
  "login.succeeded": "Logged in",
  "login.failed": "Login failed",
  "login.break_glass": "Break-glass account used",
  "login.second_step": "Second step asked for",
  logout: "Logged out",
  "password.changed": "Password changed",
  "passkey.added": "Passkey added",
  "passkey.renamed": "Passkey renamed",
  "passkey.removed": "Passkey removed",
  "recovery_codes.created": "Recovery codes generated",
  "recovery_code.used": "Recovery code used",
  "token.created": "Token generated",
  "token.rotated": "Token rotated",
  "token.revoked": "Token revoked",
  "feeds.renewed": "Feed address made",
  "feeds.ended": "Feed address ended",
  "user.created": "User added",
  "user.changed": "User changed",
  "user.deactivated": "User deactivated",
  "user.activated": "User activated",
  "user.sessions_ended": "Sessions ended",
  "user.tokens_ended": "Tokens revoked",
  "right.given": "Right given",
  "right.taken": "Right removed",
  "provider.created": "Sign-in provider added",
  "provider.changed": "Sign-in provider changed",
  "provider.enabled": "Sign-in provider enabled",
  "provider.disabled": "Sign-in provider disabled",
  "provider.deleted": "Sign-in provider deleted",
  "provider.tested": "Sign-in provider tested",
  "sign_in.changed": "Sign-in settings changed",
  "mapping.added": "Group mapping added",
  "mapping.removed": "Group mapping removed",
  "trigger.created": "Trigger added",
  "trigger.changed": "Trigger changed",
  "trigger.deleted": "Trigger deleted",
  "trigger.tested": "Trigger tested",
  "trigger.run_again": "Run of a trigger repeated",
  "trigger.switched_off": "Trigger switched off",
  "webhook.created": "Webhook added",
  "webhook.changed": "Webhook changed",
  "webhook.rotated": "Secret of a webhook replaced",
  "webhook.replayed": "Messages of a webhook sent again",
  "webhook.switched_off": "Webhook switched off",
  "webhook.deleted": "Webhook deleted",
  "access.refused": "Access refused",
  "name.probed": "Unavailable name tried",
  "export.requested": "Export",
  "job.cancelled": "Job cancelled",
  "service.started": "Service started",
} as const;
export type AuditEvent = keyof typeof EVENTS;

export interface AuditEntry {
  event: AuditEvent;
  user_id?: number | null;
  /** As typed: the user may not exist. */
  username?: string | undefined;
  /** The user, the token or the file of the event. */
  target?: string | null;
  /** The address of the client, and the request; of what happens outside of requests: NO_REQUEST. */
  address: string | null;
  request_id: string | null;
  details?: Record<string, string | number | boolean | null>;
}

export const NO_REQUEST = { address: null, request_id: null };

/** The caller of an entry, and the request; console commands have neither a user nor a request. */
export function auditCaller(
  caller: Pick<Caller, "id" | "username" | "visit">,
): Pick<AuditEntry, "user_id" | "username" | "address" | "request_id"> {
  const username = isConsole(caller) ? CONSOLE : caller.username;
  return { user_id: caller.id, username, ...(caller.visit ?? NO_REQUEST) };
}

/** No user can have this name. */
export const CONSOLE = "(console)";
/** What the service does by itself. */
export const BY_SERVICE = { username: "(service)", ...NO_REQUEST };

/** Adds an entry, in a transaction of its own, so that it stays when the request is refused. Returns its id. */
export async function add(entry: AuditEntry): Promise<number> {
  const [added] = await database.execute<{ id: number }>(
    database.build.insert(audit_log).values(valuesOf(entry)).returning({ id: audit_log.id }),
  );
  return added?.id ?? 0;
}

/** Adds an entry in the transaction of the change that it records: a dry run leaves none. */
export async function addWithin(tx: database.Transaction, entry: AuditEntry): Promise<void> {
  await tx.insert(audit_log).values(valuesOf(entry));
}

/** The same of what the caller did. */
export function addBy(
  tx: database.Transaction,
  caller: Caller,
  entry: Pick<AuditEntry, "event" | "target" | "details">,
): Promise<void> {
  return addWithin(tx, { ...auditCaller(caller), ...entry });
}

function valuesOf({ username, target, details, ...entry }: AuditEntry) {
  return {
    ...entry,
    username: shortened(username, LONGEST_NAME),
    target: shortened(target, LONGEST_TARGET),
    details: sql`${JSON.stringify(details ?? {}, storable)}::text::jsonb`,
  };
}

/** Characters that are stored of a typed name, and of a target. */
const LONGEST_NAME = 100;
const LONGEST_TARGET = 200;

function shortened(text: string | null | undefined, longest: number): string | null {
  if (text == null) return null;
  return [...storableText(text)].slice(0, longest).join("");
}

function storable(_: string, value: unknown): unknown {
  return typeof value === "string" ? storableText(value) : value;
}
