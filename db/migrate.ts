import type { SQL } from "bun";
import { formatDatabaseAddress, readDatabaseAddress } from "./address.ts";
import { connect, type DatabaseTarget } from "./connect.ts";
import {
  connectionProblem,
  DatabaseUnavailable,
  mayRunAgain,
  NO_TLS,
  QueryRejected,
  translate,
} from "./errors.ts";
import { migrations } from "./migrations/mod.ts";

const OLDEST = 150_000;
/** The advisory lock of a migration, so that several instances may start at once. Any constant. */
export const LOCK = 1_667_330_404;

/** The migrations until Cadastre 0.1.0. Together they made what 0001_schema makes. */
export const FORMER = `
  0001_ground 0002_audit_log 0003_unseen_changes 0004_login_addresses 0005_search_limits
  0006_variable_bytes 0007_tracked_tables 0008_admin 0009_changes 0010_dashboard 0011_views
  0012_location_tree 0013_status_colour 0014_committed_up_to 0016_import_kinds
  0017_free_addresses 0018_cheaper_writes 0019_counted_set 0020_after_prefix
  0021_free_address_lock 0025_backups 0030_sign_in 0031_rights_by_scope 0033_token_limits
  0034_service_accounts 0035_passkeys 0040_subscriptions 0042_webhooks 0043_triggers 0044_watches
  0045_change_ids 0048_cheaper_words 0049_repeated_answers 0050_former_parts 0051_cheaper_rows
  0052_cheaper_new_hosts 0053_words_of_texts 0054_new_host_at_once 0055_editions
  0056_pending_lists 0057_composed_variables
`
  .trim()
  .split(/\s+/);
const LAST_FORMER = FORMER.at(-1) ?? "";
const SCHEMA = "0001_schema";

/** The database cannot be used as it is; the message says why and what to do. */
export class CannotMigrate extends Error {}

/** Brings the schema up to date and returns the names of what was applied. */
export async function migrate(
  target: DatabaseTarget,
  report: (line: string) => void,
): Promise<string[]> {
  const pool = connect(target, 1, { application_name: "cadastre migrate", lock_timeout: 60_000 });
  try {
    refuseServer(await describeServer(pool));
    return await untilUndisturbed(() => pool.begin((tx) => applyMissing(tx, report)));
  } catch (error) {
    throw explainConnectionError(error, target);
  } finally {
    await pool.close({ timeout: 1 });
  }
}

const TRIES = 5;

/** Runs a migration again after a deadlock: instances of an older release read and write the tables that it locks. */
export async function untilUndisturbed<T>(work: () => Promise<T>, tries = TRIES): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries <= 1 || !mayRunAgain(translate(error))) throw error;
    return untilUndisturbed(work, tries - 1);
  }
}

/** The migrations that were applied, in order. */
export async function applied(sql: SQL): Promise<string[]> {
  const [{ exists }] = await sql`select to_regclass('migrations') is not null as exists`;
  if (!exists) return [];
  const found: Array<{ name: string }> = await sql`select name from migrations order by name`;
  return found.map(({ name }) => name);
}

/** The migrations that were not applied yet. */
export async function pending(sql: SQL): Promise<string[]> {
  const done = knownMigrations(await applied(sql), "The database");
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}

/**
 * What was applied, in the names of this program: a database with the last of the former migrations has the schema. Refuses
 * what has not come so far, and migrations that this program does not have, which a newer version has applied.
 */
export function knownMigrations(applied: string[], whose: string): string[] {
  const former = applied.filter((name) => FORMER.includes(name));
  const last = former.at(-1) ?? LAST_FORMER;
  if (last !== LAST_FORMER) {
    throw new CannotMigrate(
      `${whose} is too old for this program, it ends with ${last}: upgrade it by Cadastre 0.1.0 first, up to ${LAST_FORMER}`,
    );
  }
  const later = applied.filter((name) => !FORMER.includes(name));
  const names = former.length > 0 ? [SCHEMA, ...later] : later;
  const unknown = names.filter(
    (name) => !migrations.some((translated) => translated.name === name),
  );
  if (unknown.length === 0) return names;
  throw new CannotMigrate(
    `${whose} is newer than this program: it has ${unknown.join(", ")}; use the newer cadastre`,
  );
}

export async function applyMigration(tx: SQL, name: string): Promise<void> {
  await tx.unsafe(`create table if not exists migrations (
    name text primary key, applied_at timestamptz not null default now())`);
  await tx.unsafe(migrations.find((translated) => translated.name === name)?.sql ?? "");
  await tx`insert into migrations (name) values (${name})`;
}

interface ServerFacts {
  number: number;
  name: string;
  encoding: string;
}

export async function describeServer(sql: SQL): Promise<ServerFacts> {
  const [facts] = await sql`
    select current_setting('server_version_num')::int as number,
      split_part(current_setting('server_version'), ' ', 1) as name,
      current_setting('server_encoding') as encoding`;
  return facts;
}

export function refuseServer({ number, name, encoding }: ServerFacts): void {
  if (number < OLDEST) {
    throw new CannotMigrate(`PostgreSQL ${name} is too old: Cadastre needs 15 or newer`);
  }
  if (encoding !== "UTF8") {
    throw new CannotMigrate(`The database is encoded in ${encoding}: Cadastre needs UTF8`);
  }
}

/** Turns errors of the connection into sentences: wrong password, no such database, no right to create. */
export function explainConnectionError(error: unknown, target: DatabaseTarget): unknown {
  const translated = translate(error);
  if (translated instanceof DatabaseUnavailable && translated.broken) {
    return new CannotMigrate(whyBroken(translated, target), { cause: translated });
  }
  if (
    translated instanceof DatabaseUnavailable ||
    (translated instanceof QueryRejected && /^(28|3D|42501|08)/.test(translated.code))
  ) {
    const words = translated.cause instanceof Error ? translated.cause.message : translated.message;
    return new CannotMigrate(`The database cannot be used: ${words}`, { cause: translated });
  }
  return error;
}

async function applyMissing(tx: SQL, report: (line: string) => void): Promise<string[]> {
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  const missing = await pending(tx);
  if (missing.length > 0) await refuseReplica(tx, missing);
  for (const name of missing) {
    report(`Migrating the database: ${name}`);
    await applyMigration(tx, name);
  }
  return missing;
}

/** A replica gets migrations from its primary. */
async function refuseReplica(tx: SQL, missing: string[]): Promise<void> {
  const [{ is_replica }] = await tx`select pg_is_in_recovery() as is_replica`;
  if (!is_replica) return;
  throw new CannotMigrate(
    `The database is a replica and lacks ${missing.join(", ")}: migrate its primary first`,
  );
}

function whyBroken(error: DatabaseUnavailable, { url, socket }: DatabaseTarget): string {
  const address = url ? readDatabaseAddress(url) : null;
  const where = address ? formatDatabaseAddress(address) : (socket ?? "");
  const why = connectionProblem(error);
  if (!why) return `No database answers at ${where}: see DATABASE_URL`;
  if (why !== NO_TLS) return `The database at ${where} cannot be used: ${why}; see DATABASE_URL`;
  return `The server at ${where} does not support TLS, which sslmode=${address?.sslmode} in DATABASE_URL asks for: turn ssl on there, or take sslmode away`;
}
