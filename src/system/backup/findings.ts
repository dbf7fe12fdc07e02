// What cadastre doctor and the page of admins say about backups.

import { setTimeout as sleep } from "node:timers/promises";
import type { SQL } from "bun";
import { messageIn } from "../../../db/errors.ts";
import type { Config, S3Settings } from "../../config.ts";
import { commandLine } from "../../config_file.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import { isS3 } from "./destination.ts";
import { DestinationFailed } from "./failed.ts";
import { destinationOf } from "./places.ts";
import { type BackupState, backupStateOn } from "./records.ts";

/** Milliseconds for a bucket to answer. */
const PATIENCE = 5_000;
/** Hours. */
const WEEK = 7 * 24;
type BackupConfig = Pick<Config, "backup" | "s3">;

export async function* backupFindings(sql: SQL, settings: BackupConfig): AsyncGenerator<Finding> {
  yield* resultFindings(await backupStateOn(sql), settings);
  if (!settings.backup) return;
  const { to } = settings.backup;
  yield await destinationFinding(to, settings.s3, {
    text: "Backups can be made to",
    command: isS3(to) ? commandLine(`backup --to ${to}`) : `mkdir -p -m 700 ${to}`,
  });
  const mayNotProve = await roleFinding(sql);
  if (mayNotProve) yield mayNotProve;
}

/** The age, and the last attempt if it is not good. */
function* resultFindings({ last, good, written }: BackupState, { backup }: BackupConfig) {
  const to = backup?.to ?? last?.destination;
  const command = commandLine(to ? `backup --to ${to}` : "backup");
  if (last?.result === "failed")
    yield problem(`The last backup failed ${ageOf(last.age)} ago: ${last.message}`, command);
  if (last?.result === "unproven")
    yield problem(
      `The last backup is not proven, ${last.file} ${ageOf(last.age)} ago: ${last.message}`,
      command,
    );
  const newest = backup ? good : written;
  if (newest) yield age(newest, { backup }, command);
  else if (!backup) yield warning(`No backup has been made: make one. ${DAILY_BACKUPS}`, command);
  else if (!last) yield problem(`No backup was made to ${backup.to} yet: run it now`, command);
}

function age(
  { age, result }: { age: number; result: string },
  { backup }: Pick<BackupConfig, "backup">,
  command: string,
): Finding {
  const kind = result === "good" ? "good backup" : "backup";
  const text = `The last ${kind} was made ${ageOf(age)} ago`;
  const oldest = backup ? (2 * backup.every) / 3_600 : WEEK;
  if (age < oldest) return ok(text);
  return problem(`${text}: ${backup ? "see the log for the reason" : "run it every day"}`, command);
}

/** Whether a directory or a bucket can be used. */
export async function destinationFinding(
  to: string,
  s3: S3Settings,
  { text, command }: { text: string; command?: string },
): Promise<Finding> {
  try {
    const found = await Promise.race([
      destinationOf(to, s3).list(),
      sleep(PATIENCE, undefined, { ref: false }),
    ]);
    if (!found) throw new DestinationFailed(`${to} does not answer within ${PATIENCE / 1_000} s`);
    return ok(`${text} ${to}`);
  } catch (error) {
    return problem(messageIn(error), command);
  }
}

/** Null if the role may create the database into which a backup is restored. */
async function roleFinding(sql: SQL): Promise<Finding | null> {
  const [{ role, may }] = await sql`
    select quote_ident(rolname) as role, rolsuper or rolcreatedb as may
    from pg_roles where rolname = current_user`;
  if (may) return null;
  return problem(
    `The role ${role} may not create databases, so that backups are not proven: let it`,
    `sudo -u postgres psql -c 'alter role ${role} createdb'`,
  );
}

/** Hours in words. */
export function ageOf(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (hours < 48) return hours < 2 ? "an hour" : `${Math.floor(hours)} hours`;
  return `${Math.floor(hours / 24).toLocaleString("en")} days`;
}

const DAILY_BACKUPS =
  "To have one every day, name a directory in the service's setting BACKUP_TO, such as /var/backups/cadastre";
