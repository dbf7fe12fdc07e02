import { restore } from "../../db/backup/restore.ts";
import * as config from "../config.ts";
import { waitForDatabase } from "../start.ts";
import { isS3 } from "../system/backup/destination.ts";
import { readFile } from "../system/backup/directory.ts";
import { unpackedLines } from "../system/backup/lines.ts";
import { destinationOf } from "../system/backup/places.ts";
import { positionalArguments, readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print, silent } from "./console.ts";

export const help = `Restores a database from a backup and migrates it to this version.

Usage: cadastre restore FILE [--replace]

FILE may be s3://bucket/prefix/name, too. The database must be empty, or as the first start left it; with --replace, all that is in it is lost. Stop
Cadastre first. All is restored or, if anything is wrong with the file, nothing is changed.

Settings:
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { replace: { type: "boolean", default: false } },
  });
  const [file] = positionalArguments(positionals, "FILE");
  const settings = config.readConfig();
  const server = await waitForDatabase(settings, silent);
  try {
    const lines = unpackedLines(readBackup(file, settings.s3));
    const header = await restore(server.target, lines, values);
    const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
    print(`Restored ${rows} rows of ${header.tables.length} tables, as they were at ${header.at}`);
  } finally {
    await server.stop();
  }
}

function readBackup(file: string, s3: config.S3Settings): AsyncIterable<Uint8Array> {
  if (!isS3(file)) return readFile(file);
  const at = file.lastIndexOf("/");
  return destinationOf(file.slice(0, at), s3).read(file.slice(at + 1));
}
