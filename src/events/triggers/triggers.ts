// The triggers, for admins. They hold secrets, so they have no history: their changes are in the audit log.
import type { TSchema } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { subscriptions } from "../../../db/tables/events.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { MOST_TRIGGERS } from "../../input/limits.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import * as fields from "../../store/fields.ts";
import * as records from "../../store/records.ts";
import { recordQuery, resource } from "../../store/resource.ts";
import { jsonb, lock, type Transaction, write } from "../../store/write.ts";
import { requireReachable, withoutQuery } from "../http_target.ts";
import {
  ownerNamed,
  removeSubscription,
  requireFilters,
  requireFreeName,
} from "../subscriptions.ts";
import { endWaiting } from "./gather.ts";
import { openSecrets, sealSecrets, type TriggerSecrets } from "./secrets.ts";
import { requireSettings } from "./settings.ts";
import {
  type ChangedTrigger,
  DEFAULTS,
  type NewTrigger,
  SPECIAL_DEFAULTS,
  type Template,
  type Trigger,
  type TriggerSettings,
  triggerRecord,
} from "./trigger.ts";

const properties: Record<string, TSchema> = triggerRecord.properties;

function schemaOf(name: string): { schema?: TSchema } {
  const schema = properties[name];
  return schema ? { schema } : {};
}

function inLabel(name: string): string {
  return String(properties[name]?.title ?? name);
}

/** A value of the settings, with its schema. */
function setting(name: string, kind: "value" | "label" | "integer" | "boolean") {
  const value = sql.raw(
    kind === "value"
      ? `subscriptions.settings -> '${name}'`
      : `(subscriptions.settings ->> '${name}')${kind === "label" ? "" : `::${kind}`}`,
  );
  return {
    ...fields.derived<unknown>({ label: inLabel(name), kind, value: sql`${value}` }),
    ...schemaOf(name),
  };
}

export const trigger = resource({
  noun: "trigger",
  path: "/triggers",
  table: subscriptions,
  key: "name",
  editors: ["admin"],
  order: sql`subscriptions.name`,
  version: () => sql`subscriptions.revision`,
  fields: {
    name: fields.name({ label: "Name" }),
    template: setting("template", "label"),
    url: fields.text({ label: "Address", search: "keyword" }),
    owner: fields.byUser({ label: "Owner", key: "owner_id", description: "With whose sight" }),
    filters: {
      ...fields.derived({ label: "Changes", kind: "value", value: sql`subscriptions.filters` }),
      ...schemaOf("filters"),
    },
    success_text: setting("success_text", "label"),
    quiet_seconds: setting("quiet_seconds", "integer"),
    most_seconds: setting("most_seconds", "integer"),
    waits_for_end: setting("waits_for_end", "boolean"),
    is_active: fields.boolean({ label: "Active" }),
    job_template: setting("job_template", "value"),
    is_workflow: setting("is_workflow", "value"),
    limit: setting("limit", "value"),
    project: setting("project", "value"),
    ref: setting("ref", "value"),
    token_kind: setting("token_kind", "value"),
    job: setting("job", "value"),
    username: setting("username", "value"),
    variables: setting("variables", "value"),
    body: setting("body", "value"),
    headers: setting("headers", "value"),
    secret_header: setting("secret_header", "value"),
    has_secret: fields.derived<boolean>({
      label: "Secret",
      kind: "boolean",
      value: sql`(subscriptions.secrets is not null)`,
    }),
    has_read_token: fields.derived<boolean>({
      label: "Token to look at pipelines",
      kind: "boolean",
      value: sql`coalesce((subscriptions.settings ->> 'has_read_token')::boolean, false)`,
    }),
    trouble: fields.text({ label: "Switched off because", nullable: true }),
    last_run: {
      ...fields.derived<string>({
        label: "Last run",
        kind: "label",
        value: sql`(select status from trigger_runs where subscription_id = subscriptions.id
          order by trigger_runs.id desc limit 1)`,
      }),
      ...schemaOf("last_run"),
    },
    revision: fields.integer({ label: "Revision" }),
    created_at: fields.time({ label: "Created", description: fields.MOMENT }),
    updated_at: fields.time({ label: "Updated", description: fields.MOMENT }),
  },
});

/** What a refusal calls an owner. */
const OWNER = "user";

const KIND = { kind: "trigger", most: MOST_TRIGGERS, taken: "This name is taken" } as const;
export const IS_TRIGGER = sql`subscriptions.kind = 'trigger'`;

function queryOf(caller: Caller): records.RecordQuery<Trigger> {
  return recordQuery(trigger, caller) as unknown as records.RecordQuery<Trigger>;
}

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<Trigger>> {
  requireAdmin(caller);
  return records.list(queryOf(caller), params, IS_TRIGGER);
}

export function find(
  caller: Caller,
  id: number,
  tx?: Transaction,
): Promise<records.RecordJson<Trigger>> {
  requireAdmin(caller);
  return records.find(queryOf(caller), sql`subscriptions.id = ${id} and ${IS_TRIGGER}`, tx);
}

export async function create(
  caller: Caller,
  input: NewTrigger,
): Promise<records.RecordJson<Trigger>> {
  requireAdmin(caller);
  const {
    name,
    template,
    url,
    owner = caller.username,
    filters = {},
    is_active,
    secret,
    read_token,
    ...given
  } = input;
  await requireReachable(url);
  const settings = requireSettings(template, {
    ...DEFAULTS,
    ...SPECIAL_DEFAULTS[template],
    success_text: `${name} succeeded`,
    ...given,
    has_read_token: read_token !== undefined,
  });
  requireSecret(template, secret !== undefined);
  await requireFilters(filters);
  return write(caller, async (tx) => {
    await advisoryLock(tx, "triggers");
    await requireFreeName(tx, KIND, { name });
    const [made] = await tx.execute<{ id: number }>(sql`
      insert into subscriptions (kind, name, owner_id, url, filters, settings, secrets, is_active)
      select 'trigger', ${name}, ${await ownerNamed(tx, owner, OWNER)}::integer, ${url}, ${jsonb(filters)}, ${jsonb(settings)},
        ${sealSecrets({ secret, read_token })}, ${is_active ?? true}
      returning id`);
    await audit.addBy(tx, caller, {
      event: "trigger.created",
      target: name,
      details: { template, url: withoutQuery(url) },
    });
    return find(caller, made?.id ?? 0, tx);
  });
}

interface StoredTrigger {
  name: string;
  url: string;
  settings: TriggerSettings;
  secrets: string | null;
  is_active: boolean;
}

/** Without a new secret the old one stays, unless it would be sent to another server or as another kind of token. */
export async function update(
  caller: Caller,
  id: number,
  input: ChangedTrigger,
): Promise<records.RecordJson<Trigger>> {
  requireAdmin(caller);
  const { name, url, owner, filters, is_active, secret, read_token, ...given } = input;
  if (url !== undefined) await requireReachable(url);
  if (filters !== undefined) await requireFilters(filters);
  return write(caller, async (tx) => {
    await advisoryLock(tx, "triggers");
    const before = await locked(tx, caller, id);
    if (name !== undefined) await requireFreeName(tx, KIND, { name, id });
    const secrets = secretsAfter(before, input);
    const settings = requireSettings(before.settings.template, {
      ...before.settings,
      ...given,
      ...(secrets && { has_read_token: secrets.read_token !== undefined }),
    });
    const set = [
      sql`settings = ${jsonb(settings)}, revision = revision + 1, updated_at = now()`,
      ...(name === undefined ? [] : [sql`name = ${name}`]),
      ...(url === undefined ? [] : [sql`url = ${url}`]),
      ...(owner === undefined ? [] : [sql`owner_id = ${await ownerNamed(tx, owner, OWNER)}`]),
      ...(filters === undefined ? [] : [sql`filters = ${jsonb(filters)}`]),
      ...(secrets === undefined ? [] : [sql`secrets = ${sealSecrets(secrets)}`]),
      ...(is_active === undefined ? [] : [sql`is_active = ${is_active}, trouble = null`]),
    ];
    await tx.execute(sql`update subscriptions set ${sql.join(set, sql`, `)} where id = ${id}`);
    if (is_active === false) await endWaiting(tx, id);
    await audit.addBy(tx, caller, {
      event: "trigger.changed",
      target: name ?? before.name,
      details: { fields: Object.keys(input).join(", ") },
    });
    return find(caller, id, tx);
  });
}

/** With its runs and what it has gathered. */
export async function remove(caller: Caller, id: number): Promise<void> {
  requireAdmin(caller);
  await write(caller, async (tx) => {
    const { name } = await locked(tx, caller, id);
    await removeSubscription(tx, id);
    await audit.addBy(tx, caller, { event: "trigger.deleted", target: name });
  });
}

export function locked(tx: Transaction, caller: Caller, id: number): Promise<StoredTrigger> {
  return lock<StoredTrigger>(tx, caller, {
    table: subscriptions,
    id,
    visible: IS_TRIGGER,
    columns: sql`name, url, settings, secrets, is_active`,
  });
}

/** Undefined if they stay. They are entered anew before they are sent to another server, or as another kind of token. */
function secretsAfter(before: StoredTrigger, input: ChangedTrigger): TriggerSecrets | undefined {
  const { url = before.url, token_kind = before.settings.token_kind, secret, read_token } = input;
  const isMoved = new URL(before.url).origin !== new URL(url).origin;
  const isOtherKind = token_kind !== before.settings.token_kind;
  if (secret === undefined && before.secrets !== null && (isMoved || isOtherKind)) {
    const why = isMoved ? "it would be sent to another server" : "it is another kind of token";
    throw invalid("secret", `Enter the secret again, because ${why}`);
  }
  if (secret === undefined && read_token === undefined) return undefined;
  const stored = openSecrets(before.secrets);
  if (!stored && secret === undefined) throw invalid("secret", "Enter the secret again, too");
  const kept = isMoved || isOtherKind ? undefined : stored?.read_token;
  return { secret: secret ?? stored?.secret, read_token: read_token ?? kept };
}

const NEEDS_SECRET: Partial<Record<Template, string>> = {
  awx: "Enter a token of AWX with the scope write",
  gitlab: "Enter an access token of GitLab with the scope api, or a trigger token",
  jenkins: "Enter the API token of the user",
};

function requireSecret(template: Template, isGiven: boolean): void {
  const needed = NEEDS_SECRET[template];
  if (needed && !isGiven) throw invalid("secret", needed);
}
