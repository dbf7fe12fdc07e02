// The identity providers, and the mappings of their groups: for the login, and for admins to change.
import { eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/errors.ts";
import { identity_providers } from "../../../db/tables/user.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { seal, unseal } from "../../auth/sealed.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { MOST_PROVIDERS } from "../../input/limits.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import { jsonb, type Transaction, write } from "../../store/write.ts";
import { breakGlassExists } from "./break_glass.ts";
import { directoryAuthority } from "./directory.ts";
import { SignInFailed } from "./failure.ts";
import type {
  ChangedProvider,
  LdapSettings,
  NewProvider,
  Provider,
  ProviderKind,
  ShownProvider,
} from "./provider.ts";
import { requireSafe } from "./safety.ts";
import { mappingsOf, rightMappingsOf } from "./stored_mappings.ts";

/** A button on the login page. */
export interface LoginButton {
  key: string;
  name: string;
}

/** The providers that the login page names. Without a database the page still opens. */
export async function loginButtons(): Promise<LoginButton[]> {
  return database
    .rows<LoginButton>(sql`
      select key, name from identity_providers where is_enabled and kind = 'oidc' order by name, id`)
    .catch((error) => {
      if (error instanceof DatabaseUnavailable) return [];
      throw error;
    });
}

const KEY = /^[a-z0-9-]{1,40}$/;

/** A provider with its secret, to ask it. Only an enabled one, unless an admin tests it. */
export async function providerToAsk(
  key: string,
  { isTest = false }: { isTest?: boolean } = {},
): Promise<Provider> {
  if (!KEY.test(key)) throw notFound();
  const found = await database.row<StoredProvider>(sql`
    select id, key, name, kind, settings, secret, is_enabled from identity_providers where key = ${key}`);
  if (!found || !(found.is_enabled || isTest)) throw notFound();
  return opened(found);
}

/** The enabled directories, in the order in which a password is tried. */
export function directories(): Promise<string[]> {
  return database
    .rows<{ key: string }>(sql`
      select key from identity_providers where is_enabled and kind = 'ldap' order by name, id`)
    .then((found) => found.map(({ key }) => key));
}

/** Whether there is one, as a part of a query. */
export const hasDirectory: SQL = sql`exists (select from identity_providers where is_enabled and kind = 'ldap')`;

type StoredProvider = Provider & { secret: string | null };

async function opened(found: StoredProvider): Promise<Provider> {
  const secret = found.secret === null ? undefined : unseal(found.secret, "provider");
  if (found.secret !== null && secret === undefined) throw unreadableSecret(found.name);
  const [mappings, rights] = await Promise.all([mappingsOf(found.id), rightMappingsOf(found.id)]);
  return { ...found, secret, mappings, rights };
}

function unreadableSecret(provider: string): SignInFailed {
  const reason = "its secret was encrypted with another SECRET_KEY: enter it again";
  const message = `${provider} cannot be used at the moment; log in with a password, or ask an admin`;
  return new SignInFailed(503, message, { provider, reason });
}

export function list(caller: Caller): Promise<ShownProvider[]> {
  requireAdmin(caller);
  return database.rows<ShownProvider>(sql`${SHOWN} order by name, id`);
}

export async function find(caller: Caller, key: string): Promise<ShownProvider> {
  requireAdmin(caller);
  if (!KEY.test(key)) throw notFound();
  const found = await database.row<ShownProvider>(sql`${SHOWN} where key = ${key}`);
  if (!found) throw notFound();
  return found;
}

const SHOWN = sql`
  select id, key, name, kind, settings, secret is not null as has_secret, is_enabled, from_environment,
    (select count(*)::int from identities where provider_id = identity_providers.id) as people
  from identity_providers`;

/** A new provider is not enabled: it is tested first. */
export async function create(
  caller: Caller,
  kind: ProviderKind,
  input: NewProvider,
): Promise<void> {
  requireAdmin(caller);
  const { key, name, secret, ...settings } = input;
  requireSafe(settings);
  requireSecret(settings, secret !== undefined);
  await write(caller, async (tx) => {
    await advisoryLock(tx, "identity providers");
    const [found] = await tx.execute<{ number: number; is_taken: boolean }>(sql`
      select count(*)::int as number, coalesce(bool_or(key = ${key}), false) as is_taken from identity_providers`);
    if (found?.is_taken) throw invalid("key", "This key is taken");
    if ((found?.number ?? 0) >= MOST_PROVIDERS) {
      throw invalid("key", `Use at most ${MOST_PROVIDERS} providers`);
    }
    const values = { key, name, kind, settings: jsonb(settings), secret: sealed(secret) ?? null };
    await tx.insert(identity_providers).values(values);
    await audit.addBy(tx, caller, {
      event: "provider.created",
      target: name,
      details: flat(settings),
    });
  });
}

/** Without a new secret the old one stays, unless it would be sent to another place. */
export async function update(caller: Caller, key: string, input: ChangedProvider): Promise<void> {
  const { name, secret, ...settings } = input;
  requireSafe(settings);
  await change(caller, key, async (tx, before) => {
    requireOwnSettings(before);
    if (
      secret === undefined &&
      before.has_secret &&
      placeOf(before.settings) !== placeOf(settings)
    ) {
      throw invalid("secret", "Enter the secret again, because it would be sent to another server");
    }
    requireSecret(settings, secret !== undefined || before.has_secret);
    requireSameAuthority(before, settings);
    const given = { name, settings: jsonb(settings), updated_at: sql`now()` };
    await tx
      .update(identity_providers)
      .set(secret === undefined ? given : { ...given, secret: sealed(secret) })
      .where(eq(identity_providers.id, before.id));
    const details = { ...flat(settings), new_secret: secret !== undefined };
    await audit.addBy(tx, caller, { event: "provider.changed", target: name, details });
  });
}

type ProviderSettings = Omit<ChangedProvider, "name" | "secret">;

/** A directory takes an empty password as a login of nobody. */
function requireSecret(settings: ProviderSettings, hasSecret: boolean): void {
  if ("bind_dn" in settings && !hasSecret) {
    throw invalid("secret", "Enter the password of the bind DN");
  }
}

/** With another attribute nobody would be found any more, and each would get a new account. */
function requireSameAuthority({ people, settings }: ShownProvider, now: ProviderSettings): void {
  if (people === 0 || !("url" in settings && "url" in now)) return;
  const [before, after] = [settings, now].map((one) =>
    directoryAuthority(one as Partial<LdapSettings>),
  );
  if (before === after) return;
  throw invalid(
    "subject_attribute",
    `People have logged in and are known by ${before}: add another provider instead`,
  );
}

/** Where a secret is sent to. */
function placeOf(settings: ProviderSettings | Record<string, unknown>): unknown {
  return "issuer" in settings ? settings.issuer : "url" in settings ? settings.url : undefined;
}

function sealed(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : seal(secret, "provider");
}

/** A provider is enabled only if a local admin can always log in. */
export async function enable(caller: Caller, key: string, is_enabled: boolean): Promise<void> {
  await change(caller, key, async (tx, before) => {
    const { id, name } = before;
    requireOwnSettings(before);
    if (is_enabled) await requireBreakGlass(tx);
    await tx.update(identity_providers).set({ is_enabled }).where(eq(identity_providers.id, id));
    const event = is_enabled ? "provider.enabled" : "provider.disabled";
    await audit.addBy(tx, caller, { event, target: name });
  });
}

/** Accounts belong to the people of a provider: with people it can only be disabled. */
export async function remove(caller: Caller, key: string): Promise<void> {
  await change(caller, key, async (tx, before) => {
    requireOwnSettings(before);
    if (before.people > 0) {
      throw invalid("key", "People have logged in by this provider: disable it instead");
    }
    await tx.delete(identity_providers).where(eq(identity_providers.id, before.id));
    await audit.addBy(tx, caller, { event: "provider.deleted", target: before.name });
  });
}

/** Changes one provider; changes of providers come one after the other. */
export async function change(
  caller: Caller,
  key: string,
  work: (tx: Transaction, before: ShownProvider) => Promise<void>,
): Promise<void> {
  requireAdmin(caller);
  await write(caller, async (tx) => {
    await advisoryLock(tx, "identity providers");
    const [before] = (await tx.execute(sql`${SHOWN} where key = ${key}`)) as ShownProvider[];
    if (!before) throw notFound();
    await work(tx, before);
  });
}

export function requireOwnSettings({ from_environment }: ShownProvider, field = "name"): void {
  if (!from_environment) return;
  throw invalid(field, "This provider is set by SIGN_IN_FILE, and can only be changed there");
}

async function requireBreakGlass(tx: Transaction): Promise<void> {
  const [found] = await tx.execute<{ exists: boolean }>(sql`select ${breakGlassExists} as exists`);
  if (found?.exists) return;
  throw invalid(
    "key",
    "First mark an admin with a password as break-glass account, on the page of that user",
  );
}

/** The settings of a provider, none of which is a secret; a certificate is only named. */
export function flat(settings: object): audit.AuditEntry["details"] {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      name === "ca" ? "set" : typeof value === "boolean" ? value : String(value),
    ]),
  );
}
