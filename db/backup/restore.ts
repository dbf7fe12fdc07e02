import type { SQL } from "bun";
import { connect, type DatabaseTarget } from "../connect.ts";
import { QueryRejected, translate } from "../errors.ts";
import { HAS_DATA } from "../has_data.ts";
import {
  applyMigration,
  describeServer,
  explainConnectionError,
  knownMigrations,
  LOCK,
  pending,
  refuseServer,
} from "../migrate.ts";
import { CANONICAL, CannotBackUp, type Header, readHeader, verifySeal } from "./format.ts";
import { insertRows } from "./rows.ts";

const LIMITS = {
  application_name: "cadastre restore",
  statement_timeout: 0,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 0,
  timezone: "UTC",
};

interface RestoreOptions {
  /** Whether existing data may be replaced. */
  replace: boolean;
  /** Refuses, before later migrations change the tables. */
  check?: (tx: SQL) => Promise<void>;
}

/**
 * Restores every row as it was when the backup was made: ids, versions, times, authors.
 * One transaction rebuilds the schema of the backup, fills it and migrates it to the present one: all or nothing.
 */
export async function restore(
  target: DatabaseTarget,
  lines: AsyncIterable<string>,
  options: RestoreOptions,
): Promise<Header> {
  const pool = connect(target, 1, LIMITS);
  try {
    refuseServer(await describeServer(pool));
    const header = await pool.begin((tx) => rebuild(tx, verifySeal(lines), options));
    await pool.unsafe("analyze");
    return header;
  } catch (error) {
    throw inWords(error, target);
  } finally {
    await pool.close({ timeout: 1 });
  }
}

async function rebuild(
  tx: SQL,
  lines: AsyncGenerator<string>,
  { replace, check }: RestoreOptions,
): Promise<Header> {
  const { value } = await lines.next();
  const header = readHeader(value);
  const migrations = knownMigrations(header.migrations, "The backup");
  await tx.unsafe(CANONICAL);
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  await clear(tx, replace);
  for (const name of migrations) await applyMigration(tx, name);
  await fill(tx, header, lines);
  await check?.(tx);
  for (const name of await pending(tx)) await applyMigration(tx, name);
  await skipNumbers(tx);
  return header;
}

/** Tables whose numbers programs keep, to go on after them or to know what they have had. */
const FOLLOWED = ["change_sets", "audit_log", "trigger_runs"];
/** More than what can have been written since the backup. */
const SKIPPED = 1_000_000;

/** What was written after the backup is gone, but programs know it: its numbers are not given to something else. */
async function skipNumbers(tx: SQL): Promise<void> {
  for (const name of FOLLOWED) {
    await tx`select setval((${name} || '_id_seq')::regclass, last_drawn_id(${name}) + ${SKIPPED})`;
  }
}

async function clear(tx: SQL, replace: boolean): Promise<void> {
  const [found] = await tx`
    select count(*)::int as tables, coalesce(bool_or(tablename = 'migrations'), false) as ours, (
      select count(*)::int from pg_stat_activity
      where datname = current_database() and application_name = 'cadastre') as serving
    from pg_tables where schemaname = current_schema()`;
  if (found.tables === 0) return;
  if (!found.ours) {
    throw new CannotBackUp("The database has tables of others: restore into one of its own");
  }
  const [{ has_data }] = await tx.unsafe(HAS_DATA);
  if (has_data && !replace) {
    throw new CannotBackUp("The database has data: add --replace to lose it, or use an empty one");
  }
  if (found.serving > 0) {
    throw new CannotBackUp("Cadastre still serves from this database: stop it first");
  }
  await tx.unsafe(`do $$ begin
    execute format('drop schema %1$I cascade; create schema %1$I', current_schema());
  end $$`);
}

// Triggers are disabled, so that rows keep their stamps and no history is written. Foreign keys are dropped, so that the
// order of rows does not matter; adding them again checks every row.
async function fill(tx: SQL, header: Header, lines: AsyncGenerator<string>): Promise<void> {
  const references: Array<{ on: string; name: string; definition: string }> = await tx`
    select conrelid::regclass::text as on, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`;
  for (const { on, name } of references)
    await tx.unsafe(`alter table ${on} drop constraint ${name}`);
  await insertRows(tx, header.tables, lines);
  for (const { on, name, definition } of references) {
    await tx.unsafe(`alter table ${on} add constraint ${name} ${definition}`);
  }
  for (const [name, last] of Object.entries(header.sequences)) {
    if (last !== null) await tx`select setval(quote_ident(${name})::regclass, ${last})`;
  }
}

function inWords(error: unknown, target: DatabaseTarget): unknown {
  const translated = translate(error);
  if (!(translated instanceof QueryRejected)) return explainConnectionError(error, target);
  return new CannotBackUp(`Nothing was restored or changed: ${translated.message}`, {
    cause: translated,
  });
}
