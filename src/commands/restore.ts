import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { CannotBackUp, damaged } from "../../db/backup/format.ts";
import { restore } from "../../db/backup/restore.ts";
import { reason } from "../../db/embedded/cannot_start.ts";
import * as config from "../config.ts";
import { waitForDatabase } from "../start.ts";
import { positionalArguments, readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print, silent } from "./console.ts";

export const help = `Restores a database from a backup and migrates it to this version.

Usage: cadastre restore FILE [--replace]

The database must be empty, or as the first start left it; with --replace, all that is in it is lost. Stop
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
  const server = await waitForDatabase(config.readConfig(), silent);
  try {
    const header = await restore(server.target, linesOf(file), values);
    const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
    print(`Restored ${rows} rows of ${header.tables.length} tables, as they were at ${header.at}`);
  } finally {
    await server.stop();
  }
}

/** Splits at \n only: node:readline would also break at U+2028 inside texts. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const part of textOf(file)) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw inWords(error, file);
  }
}

function textOf(file: string): AsyncIterable<string> {
  const packed = createReadStream(file);
  const text = createGunzip().setEncoding("utf8");
  packed.once("error", (error) => text.destroy(error));
  return packed.pipe(text);
}

function inWords(error: unknown, file: string): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  if (String(error.code).startsWith("Z_")) return damaged();
  return new CannotBackUp(`${file} cannot be read: ${reason(error)}`);
}
