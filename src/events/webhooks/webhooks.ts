// Webhooks, for admins to manage. They hold secrets, so their changes are in the audit log and not in the history.
import { eq, sql } from "drizzle-orm";
import { subscriptions } from "../../../db/tables/events.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { MOST_WEBHOOKS } from "../../input/limits.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { jsonb, lock, refuseIdempotencyKey, type Transaction, write } from "../../store/write.ts";
import { requireReachable, withoutQuery } from "../http_target.ts";
import {
  ownerNamed,
  removeSubscription,
  requireFilters,
  requireFreeName,
} from "../subscriptions.ts";
import { newSecret, openSecrets, replaced, sealSecrets } from "./signature.ts";
import {
  type ChangedWebhook,
  type NewWebhook,
  type ShownWebhook,
  type Webhook,
  type WebhookSettings,
  webhook,
} from "./webhook.ts";

/** Hours for which messages are also signed with the secret before. */
export const SECRET_OVERLAP = 24;

/** What a refusal calls an owner. */
const OWNER = "active user";

const KIND = {
  kind: "webhook",
  most: MOST_WEBHOOKS,
  taken: "Another webhook has this name",
} as const;
export const isWebhook = sql`subscriptions.kind = 'webhook'`;

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Webhook>> {
  requireAdmin(caller);
  return records.list(recordQuery(webhook, caller), params, isWebhook);
}

export function find(
  caller: Caller,
  id: number,
  tx?: Transaction,
): Promise<records.RecordJson<Webhook>> {
  requireAdmin(caller);
  return records.find(
    recordQuery(webhook, caller),
    sql`subscriptions.id = ${id} and ${isWebhook}`,
    tx,
  );
}

export async function create(
  caller: Caller,
  input: NewWebhook,
): Promise<records.RecordJson<ShownWebhook>> {
  requireAdmin(caller);
  refuseIdempotencyKey(caller);
  const { name, url, owner = caller.username, filters = {}, is_active = true } = input;
  await requireReachable(url);
  await requireFilters(filters);
  const settings = { format: input.format ?? "standard", ordered: input.ordered ?? true };
  const secret = newSecret();
  return write(caller, async (tx) => {
    await advisoryLock(tx, "webhooks");
    await requireFreeName(tx, KIND, { name });
    const [made] = await tx
      .insert(subscriptions)
      .values({
        kind: "webhook",
        name,
        owner_id: await ownerNamed(tx, owner, OWNER),
        url,
        filters: jsonb(filters),
        settings: jsonb(settings),
        secrets: sealSecrets({ current: secret }),
        is_active,
      })
      .returning({ id: subscriptions.id });
    const details = {
      url: withoutQuery(url),
      owner,
      ...settings,
      filters: JSON.stringify(filters),
    };
    await audit.addBy(tx, caller, { event: "webhook.created", target: name, details });
    return withSecret(await find(caller, made?.id ?? 0, tx), secret);
  });
}

export async function update(
  caller: Caller,
  id: number,
  input: ChangedWebhook,
): Promise<records.RecordJson<Webhook>> {
  requireAdmin(caller);
  const { name, url, owner, filters, format, ordered, is_active } = input;
  if (url !== undefined) await requireReachable(url);
  if (filters !== undefined) await requireFilters(filters);
  return change(caller, id, async (tx, before) => {
    if (name !== undefined) await requireFreeName(tx, KIND, { name, id });
    const settings: WebhookSettings = {
      ...before.settings,
      ...(format !== undefined && { format }),
      ...(ordered !== undefined && { ordered }),
    };
    await tx
      .update(subscriptions)
      .set({
        ...(name !== undefined && { name }),
        ...(url !== undefined && { url }),
        ...(owner !== undefined && { owner_id: await ownerNamed(tx, owner, OWNER) }),
        ...(filters !== undefined && { filters: jsonb(filters) }),
        ...(is_active !== undefined && { is_active }),
        settings: jsonb(settings),
        ...CHANGED,
      })
      .where(eq(subscriptions.id, id));
    const details = {
      ...flat(input),
      ...(url !== undefined && { url: withoutQuery(url) }),
      ...(filters !== undefined && { filters: JSON.stringify(filters) }),
    };
    await audit.addBy(tx, caller, {
      event: "webhook.changed",
      target: name ?? before.name,
      details,
    });
  });
}

/** The secret before stays valid for a day, so that the receiver can be changed in the meantime. */
export async function rotate(
  caller: Caller,
  id: number,
): Promise<records.RecordJson<ShownWebhook>> {
  requireAdmin(caller);
  refuseIdempotencyKey(caller);
  const secret = newSecret();
  const until = new Date(Date.now() + SECRET_OVERLAP * 3_600_000).toISOString();
  const found = await change(caller, id, async (tx, before) => {
    const earlier = openSecrets(before.secrets);
    const secrets = earlier ? replaced(earlier, secret, until) : { current: secret };
    const settings = { ...before.settings, previous_until: earlier ? until : null };
    await tx
      .update(subscriptions)
      .set({ secrets: sealSecrets(secrets), settings: jsonb(settings), ...CHANGED })
      .where(eq(subscriptions.id, id));
    await audit.addBy(tx, caller, { event: "webhook.rotated", target: before.name });
  });
  return withSecret(found, secret);
}

export async function remove(caller: Caller, id: number): Promise<void> {
  requireAdmin(caller);
  await write(caller, async (tx) => {
    const { name } = await lockWebhook(tx, caller, id);
    await removeSubscription(tx, id);
    await audit.addBy(tx, caller, { event: "webhook.deleted", target: name });
  });
}

/** Ends the reason for which it was switched off. */
const CHANGED = { trouble: null, revision: sql`revision + 1`, updated_at: sql`now()` };

interface StoredWebhook {
  name: string;
  secrets: string | null;
  settings: WebhookSettings;
}

function change(
  caller: Caller,
  id: number,
  work: (tx: Transaction, before: StoredWebhook) => Promise<void>,
): Promise<records.RecordJson<Webhook>> {
  return write(caller, async (tx) => {
    await advisoryLock(tx, "webhooks");
    await work(tx, await lockWebhook(tx, caller, id));
    return find(caller, id, tx);
  });
}

function lockWebhook(tx: Transaction, caller: Caller, id: number): Promise<StoredWebhook> {
  return lock<StoredWebhook>(tx, caller, {
    table: subscriptions,
    id,
    visible: isWebhook,
    columns: sql`name, secrets, settings`,
  });
}

function withSecret(
  { json: text, version }: records.RecordJson<Webhook>,
  secret: string,
): records.RecordJson<ShownWebhook> {
  return { json: JSON.stringify({ ...JSON.parse(text), secret }), version };
}

function flat(input: object): Record<string, string | boolean> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "boolean" ? value : String(value),
    ]),
  );
}
