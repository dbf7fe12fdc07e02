// Proves a backup: restores it into a database of its own on the same server, and compares that with the contents of the
// original at the time of the backup.
import type { SQL } from "bun";
import { connect, type DatabaseTarget } from "../connect.ts";
import { DatabaseUnavailable, messageIn, QueryRejected, translate } from "../errors.ts";
import { CannotMigrate } from "../migrate.ts";
import { type BackupContents, CannotBackUp, checksumOf } from "./format.ts";
import { restore } from "./restore.ts";

/** The server does not let us prove it; the message says why and, if known, what to do. */
export class CannotProve extends Error {}

const LIMITS = { application_name: "cadastre backup", statement_timeout: 0, lock_timeout: 60_000 };
const NO_RIGHT = "42501";
/** No right, a replica, no such database (of a pooler), or no access to it. */
const NOT_ALLOWED = /^(42501|25006|3D000|28...|08...)$/;

/** Throws CannotBackUp if the backup is bad, and CannotProve if the server has no place to find that out. */
export async function prove(
  target: DatabaseTarget,
  lines: AsyncIterable<string>,
  contents: BackupContents,
): Promise<void> {
  const using = connect(target, 1, LIMITS);
  try {
    const scratch = await createScratch(using);
    try {
      const check = (tx: SQL) => compare(tx, contents);
      await restore({ ...target, database: scratch }, lines, { replace: false, check });
    } finally {
      await dropScratch(using, scratch);
    }
  } catch (error) {
    throw inWords(error);
  } finally {
    await using.close({ timeout: 1 });
  }
}

/** The name of the connection that reads the original: one at a time for a database. */
export const READER = "cadastre proven backup";

/** Ends a backup that is under way, with what it has in the server. */
export async function abandon(using: SQL): Promise<void> {
  await using`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${READER}`;
  const { name } = await scratchOf(using);
  await dropScratch(using, name);
}

/** Its name is that of one original, for which one backup is made at a time: an old one was left by a killed process. */
async function scratchOf(using: SQL) {
  const [found] = await using`
    select 'cadastre_proof_' || oid as name, datcollate as collate, datctype as ctype,
      quote_ident(current_user) as role
    from pg_database where datname = current_database()`;
  return found;
}

async function createScratch(using: SQL): Promise<string> {
  const { name, collate, ctype, role } = await scratchOf(using);
  await dropScratch(using, name);
  const locale = `lc_collate ${literal(collate)} lc_ctype ${literal(ctype)}`;
  try {
    await using.unsafe(`create database ${name} template template0 encoding 'UTF8' ${locale}`);
  } catch (error) {
    const translated = translate(error);
    if (!(translated instanceof QueryRejected && translated.code === NO_RIGHT)) throw error;
    throw new CannotProve(
      `the role ${role} may not create a database to restore it into: alter role ${role} createdb`,
    );
  }
  return name;
}

async function dropScratch(using: SQL, name: string): Promise<void> {
  await using.unsafe(`drop database if exists ${name} with (force)`);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function compare(tx: SQL, { tables, sequences }: BackupContents): Promise<void> {
  const different: string[] = [];
  for (const { name, rows, checksum } of tables) {
    const [found] = await tx.unsafe(checksumOf(name, "restored"));
    if (found.rows !== rows || found.checksum !== checksum) different.push(name);
  }
  const restored: Array<{ name: string; last: number | null }> = await tx`
    select sequencename as name, last_value::float8 as last
    from pg_sequences where schemaname = current_schema()`;
  for (const [name, last] of Object.entries(sequences)) {
    const isSame = restored.some((one) => one.name === name && one.last === last);
    if (last !== null && !isSame) different.push(name);
  }
  if (different.length === 0) return;
  throw new CannotBackUp(`After a restore, ${different.join(", ")} would differ from the original`);
}

function inWords(error: unknown): unknown {
  if (error instanceof CannotProve) return error;
  const cause = error instanceof CannotBackUp ? error.cause : translate(error);
  const isRefused = cause instanceof QueryRejected && NOT_ALLOWED.test(cause.code);
  const isAway = cause instanceof DatabaseUnavailable || error instanceof CannotMigrate;
  if (!isRefused && !isAway) return error;
  const reason = cause instanceof Error ? cause : error;
  return new CannotProve(messageIn(reason));
}
