import { migrate } from "../../db/migrate.ts";
import * as config from "../config.ts";
import { waitForDatabase } from "../start.ts";
import { readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print, printMessage } from "./console.ts";

export const help = `Brings the database up to date with this program, and says what it did.

Usage: cadastre migrate

serve does the same when it starts. Before an upgrade, take a backup: there is no way back but that.

Settings:
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  readArguments({ args });
  const server = await waitForDatabase(config.readConfig(), printMessage);
  try {
    const applied = await migrate(server.target, print);
    if (applied.length === 0) print("The database is up to date");
  } finally {
    await server.stop();
  }
}
