// The checks of cadastre setup: each returns null, or one sentence that says what is wrong.

import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { connect } from "../../db/connect.ts";
import { messageIn } from "../../db/errors.ts";
import { describeServer, explainConnectionError, refuseServer } from "../../db/migrate.ts";
import { readConfig } from "../config.ts";
import { dataDirectoryFinding } from "../system/checks.ts";
import { portFinding } from "./diagnosis.ts";

export type SetupSettings = Record<string, string>;

/** A URL, or the directory of the embedded PostgreSQL. */
export function databaseSettings(answer: string): SetupSettings {
  const isUrl = answer.includes("://");
  return isUrl ? { DATABASE_URL: answer } : { DATA_DIR: resolve(answer), DATABASE_URL: "" };
}

export function whyInvalid(settings: SetupSettings): string | null {
  try {
    readConfig(settings);
    return null;
  } catch (error) {
    return messageIn(error);
  }
}

export async function whyNoDatabase(settings: SetupSettings): Promise<string | null> {
  const invalid = whyInvalid(settings);
  if (invalid !== null) return invalid;
  const { databaseUrl, dataDir } = readConfig(settings);
  if (databaseUrl !== undefined) return whyNotUsable(databaseUrl);
  const existing = nearest(dataDir);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return `${existing} cannot be written to: choose another directory, or run this command as its owner`;
  }
  const found = dataDirectoryFinding(existing);
  return found.ok ? null : found.text;
}

/** The directory, or the one in which it will be made. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

async function whyNotUsable(url: string): Promise<string | null> {
  const target = { url };
  const using = connect(target, 1);
  try {
    refuseServer(await describeServer(using));
    const [found] = await using`
      select pg_is_in_recovery() as "isReplica", quote_ident(current_user) as role,
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
        to_regclass('migrations') is not null as "isOurs",
        exists (select from pg_tables where schemaname = current_schema()) as "hasTables"`;
    if (found.isReplica) return "The database is a replica: name its primary";
    if (!found.mayCreate)
      return `The role ${found.role} may not create tables there: let it own the database`;
    if (found.hasTables && !found.isOurs)
      return "The database has tables of others: create one for Cadastre";
    return null;
  } catch (error) {
    return messageIn(explainConnectionError(error, target));
  } finally {
    await using.close({ timeout: 1 });
  }
}

export async function whyNoAddress(settings: SetupSettings): Promise<string | null> {
  const invalid = whyInvalid(settings);
  if (invalid !== null) return invalid;
  const found = await portFinding(readConfig(settings));
  return found.ok ? null : found.text;
}

/** Whether there may be users already, so that no admin is to be made. */
export async function hasUsers(settings: SetupSettings): Promise<boolean> {
  const { databaseUrl, dataDir } = readConfig(settings);
  if (databaseUrl === undefined) return existsSync(join(dataDir, "postgres"));
  const using = connect({ url: databaseUrl }, 1);
  try {
    const [{ exists }] = await using`select to_regclass('users') is not null as exists`;
    if (!exists) return false;
    const [{ some }] = await using`select exists (select from users) as some`;
    return some;
  } finally {
    await using.close({ timeout: 1 });
  }
}
