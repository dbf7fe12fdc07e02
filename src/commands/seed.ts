import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { HAS_DATA } from "../../db/fresh.ts";
import { fill } from "../demo/mod.ts";
import { readablePassword } from "../secret.ts";
import * as passwords from "../user/passwords.ts";
import { readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print, readLine, tell, withDatabase } from "./console.ts";
import { Failed } from "./failed.ts";

export const help = `Fills an empty database with the demo data: the people, places and equipment of a neutron source, and
a year of their history. It is the same data every time.

Usage: cadastre seed [--password-stdin] [--force]

The people of the demo share a password, made and shown once, unless --password-stdin reads one from the
first line of standard input. A database with data of its own is refused; with --force, the demo data is
put beside it, and what has the same name stays as it is.

Settings:
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      force: { type: "boolean", default: false },
      "password-stdin": { type: "boolean", default: false },
    },
  });
  const given = values["password-stdin"] ? await readLine() : undefined;
  if (given !== undefined) passwords.requireStrong(given, "");
  const password = given ?? readablePassword();
  const hired = await withDatabase(async () => {
    if (!values.force) await requireEmpty();
    tell("Filling the database with the demo data (a few seconds)");
    return fill(password);
  }, tell);
  print(`The demo data is in. New users: ${hired.join(", ") || "none"}`);
  if (given === undefined && hired.length > 0) print(`Their password is ${password}`);
}

async function requireEmpty(): Promise<void> {
  const found = await database.row<{ has_data: boolean }>(sql.raw(HAS_DATA));
  if (found?.has_data) {
    throw new Failed("The database has data: add --force to put the demo data beside it");
  }
}
