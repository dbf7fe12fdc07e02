// Providers from the file that SIGN_IN_FILE names, for installations that are set up without the pages. What the file
// says has precedence: a provider that it names cannot be changed on a page.
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { reason } from "../../../db/embedded/cannot_start.ts";
import * as audit from "../../auth/audit.ts";
import { consoleCaller } from "../../auth/auth.ts";
import { seal, unseal } from "../../auth/sealed.ts";
import { WrongSetting } from "../../config.ts";
import { Refusal } from "../../input/errors.ts";
import { MOST_MAPPINGS, MOST_PROVIDERS } from "../../input/limits.ts";
import { closed, readInput } from "../../input/shape.ts";
import * as logger from "../../monitoring/log.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { Transaction } from "../../store/write.ts";
import { PLACE_NAME } from "../rights/place.ts";
import * as mappings from "./mappings.ts";
import { rightOfMapping } from "./mappings.ts";
import { NEW_PROVIDER, type ProviderKind, placedMapping } from "./provider.ts";
import { flat } from "./providers.ts";
import { requireSafe } from "./safety.ts";

const enabled = Type.Optional(Type.Boolean({ description: "Use true or false" }));
const groups = Type.Optional(
  Type.Array(placedMapping, { maxItems: MOST_MAPPINGS, description: "Use a list of mappings" }),
);
const SHAPES = {
  oidc: closed({ kind: Type.Literal("oidc"), enabled, groups, ...NEW_PROVIDER.oidc.properties }),
  ldap: closed({ kind: Type.Literal("ldap"), enabled, groups, ...NEW_PROVIDER.ldap.properties }),
} as const;

type Declared = { [Kind in ProviderKind]: Static<(typeof SHAPES)[Kind]> }[ProviderKind];

/** Brings the providers up to date with the file. Without a file, those of an earlier one are disabled. */
export async function applyFile(path: string | undefined): Promise<void> {
  const declared = path === undefined ? [] : readProviders(path);
  const keys = declared.map(({ key }) => key);
  await database.transaction(async (tx) => {
    await advisoryLock(tx, "identity providers");
    for (const one of declared) await apply(tx, one);
    const left = await tx.execute<{ name: string }>(sql`
      update identity_providers set is_enabled = false, from_environment = false
      where from_environment and not key = any(${sql.param(keys)}::text[]) returning name`);
    for (const { name } of left) await log(tx, "provider.disabled", name);
  });
}

/** The providers in the file; the first error names the setting. */
export function readProviders(path: string): Declared[] {
  const problem = (message: string) => new WrongSetting(`SIGN_IN_FILE ${path}: ${message}`);
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw problem(error instanceof SyntaxError ? "this is not JSON" : reason(error));
  }
  if (!Array.isArray(list) || list.length > MOST_PROVIDERS) {
    throw problem(`Use a list of at most ${MOST_PROVIDERS} providers`);
  }
  const declared = list.map((one: unknown, at) => {
    try {
      return readProvider(one);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw problem(`provider ${at + 1}: ${error.message}`);
    }
  });
  const keys = new Set(declared.map(({ key }) => key));
  if (keys.size < declared.length) throw problem("each provider needs a key of its own");
  return declared;
}

function readProvider(given: unknown): Declared {
  const object = typeof given === "object" && given !== null ? given : {};
  const kind = "kind" in object && object.kind === "ldap" ? "ldap" : "oidc";
  const declared: Declared = readInput(SHAPES[kind], object);
  requireSafe(declared);
  for (const mapping of declared.groups ?? []) rightOfMapping(mapping);
  return declared;
}

async function apply(tx: Transaction, declared: Declared): Promise<void> {
  const { kind, key, name, enabled = true, groups = [], secret, ...settings } = declared;
  const [before] = await tx.execute<{ id: number; secret: string | null; state: string }>(sql`
    select id, secret, jsonb_build_array(name, kind, settings, is_enabled, from_environment, coalesce((
      select jsonb_agg(jsonb_build_array(outer_group, is_pattern, inner_group) order by id)
      from group_mappings where provider_id = identity_providers.id), '[]'), coalesce((
      select jsonb_agg(jsonb_build_array(outer_group, is_pattern, kind, ${PLACE_NAME}) order by id)
      from right_mappings where provider_id = identity_providers.id), '[]')) = ${stateOf(declared)}::text::jsonb as same
    from identity_providers where key = ${key}`);
  const known = before?.secret ? unseal(before.secret, "provider") : undefined;
  if (before && "same" in before && before.same && known === secret) return;
  const sealed = secret === undefined ? null : seal(secret, "provider");
  const [stored] = await tx.execute<{ id: number }>(sql`
    insert into identity_providers (key, name, kind, settings, secret, is_enabled, from_environment)
    values (${key}, ${name}, ${kind}, ${JSON.stringify(settings)}::text::jsonb, ${sealed}, ${enabled}, true)
    on conflict (key) do update set name = excluded.name, kind = excluded.kind, settings = excluded.settings,
      secret = excluded.secret, is_enabled = excluded.is_enabled, from_environment = true, updated_at = now()
    returning id`);
  const provider_id = stored?.id ?? 0;
  await tx.execute(sql`delete from group_mappings where provider_id = ${provider_id}`);
  await tx.execute(sql`delete from right_mappings where provider_id = ${provider_id}`);
  for (const mapping of groups) await insertKnown(tx, provider_id, mapping);
  await log(tx, before ? "provider.changed" : "provider.created", name, {
    ...flat(settings),
    enabled,
    new_secret: known !== secret,
    mappings: groups.map(described).join("; "),
  });
}

function described({ outer_group, inner_group, place }: mappings.NewMapping): string {
  return `${outer_group} to ${inner_group}${place ? ` on ${place}` : ""}`;
}

/** A place that does not exist stops nobody: the mapping is left out until a start at which it does. */
async function insertKnown(
  tx: Transaction,
  provider: number,
  mapping: mappings.NewMapping,
): Promise<void> {
  try {
    await mappings.insert(tx, provider, mapping);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { outer_group } = mapping;
    logger.warn("A mapping of SIGN_IN_FILE is left out", { outer_group, reason: error.message });
  }
}

/** What is compared with the database. */
function stateOf({
  kind,
  key: _,
  name,
  enabled = true,
  groups = [],
  secret: __,
  ...settings
}: Declared) {
  const [inPlaces, everywhere] = [true, false].map((hasPlace) =>
    groups
      .filter(({ place }) => (place != null) === hasPlace)
      .map(({ outer_group, is_pattern = false, inner_group, place }) => [
        ...[outer_group, is_pattern, inner_group],
        ...(hasPlace ? [place] : []),
      ]),
  );
  return JSON.stringify([name, kind, settings, enabled, true, everywhere, inPlaces]);
}

function log(
  tx: Transaction,
  event: audit.AuditEvent,
  target: string,
  changed: audit.AuditEntry["details"] = {},
): Promise<void> {
  const details = { by: "SIGN_IN_FILE", ...changed };
  return audit.addWithin(tx, { event, ...audit.auditCaller(consoleCaller), target, details });
}
