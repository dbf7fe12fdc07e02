// Facts about this installation: its version, its database, and its problems.

import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { messageIn } from "../../db/errors.ts";
import { withSeparateConnection } from "../../db/servers.ts";
import { version } from "../../package.json";
import { currentConfig } from "../config.ts";
import { commandLine } from "../config_file.ts";
import { type BackupState, backupState } from "./backup/records.ts";
import { databaseFindings, dataDirectoryFinding } from "./checks.ts";
import { type Finding, problem } from "./finding.ts";
import { installationSettings, type Setting } from "./installation.ts";

export interface SystemFacts {
  version: string;
  postgresql: string;
  /** The last migration. */
  schema: string;
  migrated_at: string;
  /** Bytes. */
  size: number;
  isEmbedded: boolean;
  onlyReads: boolean;
  /** Of this process. */
  started_at: string;
  settings: Setting[];
  backup: BackupState;
}

type DatabaseFacts = Pick<
  SystemFacts,
  "postgresql" | "schema" | "migrated_at" | "size" | "onlyReads" | "started_at"
>;

export async function readFacts(): Promise<SystemFacts> {
  const started = performance.timeOrigin / 1_000;
  const [found, backup] = await Promise.all([
    database.row<DatabaseFacts>(sql`
      select split_part(current_setting('server_version'), ' ', 1) as postgresql,
        pg_database_size(current_database())::float8 as size, pg_is_in_recovery() as "onlyReads",
        shown(to_timestamp(${started}::float8)) as started_at, name as schema, shown(applied_at) as migrated_at
      from migrations order by applied_at desc, name desc limit 1`),
    backupState(),
  ]);
  if (!found) throw new Error("There are no migrations");
  const config = currentConfig();
  return {
    version,
    ...found,
    isEmbedded: config?.databaseUrl === undefined,
    settings: config ? installationSettings(config) : [],
    backup,
  };
}

/** The findings of `cadastre doctor` about the data directory and the database. */
export async function findings(): Promise<Finding[]> {
  const config = currentConfig();
  if (!config) return [];
  const limits = { application_name: "cadastre doctor", statement_timeout: 5_000 };
  const ofDatabase = withSeparateConnection(limits, (using) =>
    Array.fromAsync(databaseFindings(using, config)),
  );
  const found = await ofDatabase.catch((error) => [
    problem(messageIn(error), commandLine("doctor")),
  ]);
  return [dataDirectoryFinding(config.dataDir), ...found];
}
