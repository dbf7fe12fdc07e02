import type { SQL } from "bun";
import { connect, type Target } from "./client.ts";
import { Away, Refused, translate } from "./faults.ts";
import { migrations } from "./migrations/mod.ts";

const OLDEST = 150_000;
/** Any constant: whoever migrates holds it, so that several instances may start at once. */
const LOCK = 1_667_330_404;

/** The database cannot be used as it is; the message says why and what to do. */
export class CannotMigrate extends Error {}

/** Brings the schema up to date and returns the names of what was applied. */
export async function migrate(target: Target, say: (line: string) => void): Promise<string[]> {
  const pool = connect(target, 1, { application_name: "cadastre migrate", lock_timeout: 60_000 });
  try {
    await requireVersion(pool);
    await pool`select pg_advisory_lock(${LOCK})`;
    return await applyMissing(pool, say);
  } catch (fault) {
    throw inWords(fault);
  } finally {
    await pool.close({ timeout: 1 });
  }
}

/** What a database that this program may serve has applied: all of ours and nothing newer. */
export async function pending(pool: SQL): Promise<string[]> {
  const done = new Set(await applied(pool));
  const unknown = [...done].filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length > 0) {
    throw new CannotMigrate(
      `The database is newer than this program: it has ${unknown.join(", ")}; use the newer cadastre`,
    );
  }
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

async function applyMissing(pool: SQL, say: (line: string) => void): Promise<string[]> {
  await pool.unsafe(`create table if not exists migrations (
    name text primary key, applied_at timestamptz not null default now())`);
  const missing = await pending(pool);
  for (const name of missing) {
    const sql = migrations.find((known) => known.name === name)?.sql ?? "";
    say(`Migrating the database: ${name}`);
    await pool.begin(async (tx) => {
      await tx.unsafe(sql);
      await tx`insert into migrations (name) values (${name})`;
    });
  }
  return missing;
}

async function applied(pool: SQL): Promise<string[]> {
  const found: Array<{ name: string }> = await pool`select name from migrations order by name`;
  return found.map(({ name }) => name);
}

// Wrong host, wrong password, no such database, no right to create: the server's own words are the best.
function inWords(fault: unknown): unknown {
  const known = translate(fault);
  if (known instanceof Away || (known instanceof Refused && /^(28|3D|42501|08)/.test(known.code))) {
    const cause = known.cause instanceof Error ? known.cause.message : known.message;
    return new CannotMigrate(`The database cannot be used: ${cause}`);
  }
  return fault;
}

async function requireVersion(pool: SQL): Promise<void> {
  const [server] = await pool`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
      current_setting('server_encoding') as encoding`;
  if (server.number < OLDEST) {
    throw new CannotMigrate(`PostgreSQL ${server.name} is too old: Cadastre needs 15 or newer`);
  }
  if (server.encoding !== "UTF8") {
    throw new CannotMigrate(`The database is encoded in ${server.encoding}: Cadastre needs UTF8`);
  }
}
