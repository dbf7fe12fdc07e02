import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { dump } from "../../db/backup/dump.ts";
import { CannotBackUp, seal } from "../../db/backup/format.ts";
import { reason } from "../../db/embedded/cannot_start.ts";
import { version } from "../../package.json";
import * as config from "../config.ts";
import { waitForDatabase } from "../start.ts";
import { noteBackup } from "../system/backups.ts";
import { positionalArguments, readArguments } from "./arguments.ts";
import { writeAtomically } from "./atomic_file.ts";
import { DATABASE_SETTINGS, printMessage, silent } from "./console.ts";

export const help = `Writes a consistent backup of the database to one file while the service runs.

Usage: cadastre backup [FILE]

FILE is cadastre-<time>.ndjson.gz if it is not given, and - is standard output. The file is there when it
is complete. It holds hashes of passwords, the signing key and all that is sensitive: keep it as secret as
the database. Sessions are not in it. cadastre restore reads it, of this version or a newer one.

Settings:
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [file] =
    positionals.length > 0 ? positionalArguments(positionals, "FILE") : [defaultName()];
  const server = await waitForDatabase(config.readConfig(), silent);
  const text = Readable.from(seal(dump(server.target, version)));
  const fill = (to: Writable) => pipeline(text, createGzip(), to, { end: false });
  try {
    await (file === "-" ? fill(process.stdout) : writeAtomically(file, fill));
    await noteBackup(server.target, file);
  } catch (error) {
    throw inWords(error, file);
  } finally {
    await server.stop();
  }
  printMessage(`Backed up to ${file === "-" ? "standard output" : file}`);
}

function defaultName(): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  return `cadastre-${time}Z.ndjson.gz`;
}

function inWords(error: unknown, file: string): unknown {
  const isOfFile = error instanceof Error && "syscall" in error;
  return isOfFile ? new CannotBackUp(`${file} cannot be written: ${reason(error)}`) : error;
}
