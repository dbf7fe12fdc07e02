import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { HAS_DATA } from "../../db/has_data.ts";
import { readablePassword } from "../auth/secret.ts";
import { MOST_DEMO_HOSTS } from "../demo/many_hosts.ts";
import { MOST_ITEMS } from "../demo/many_items.ts";
import { fill } from "../demo/mod.ts";
import { tellFirstAdminBy } from "../user/first_admin.ts";
import * as passwords from "../user/passwords.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { DATABASE_SETTINGS, print, printMessage, readLine, withDatabase } from "./console.ts";
import { CommandFailed } from "./failed.ts";

export const help = `Fills an empty database with the demo data: the people, places, equipment and network of a neutron source,
some photos and documents, and a year of their history. It is the same data every time.

Usage: cadastre seed [--items N] [--hosts N] [--password-stdin] [--force]

The people of the demo share a password, made and shown once, unless --password-stdin reads one from the
first line of standard input. A database with data of its own is refused; with --force, the demo data is
put beside it, and what has the same name stays as it is.

With --items, crates and cards are added until there are N items, and with --hosts, hosts with three interfaces
each until there are N hosts: 100000 items or 20000 hosts take less than a minute. They are added by a thousand;
if that is interrupted, the same command with --force adds what is missing.

Settings:
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      force: { type: "boolean", default: false },
      items: { type: "string", default: "0" },
      hosts: { type: "string", default: "0" },
      "password-stdin": { type: "boolean", default: false },
    },
  });
  const items = readCount("items", values.items, MOST_ITEMS);
  const hosts = readCount("hosts", values.hosts, MOST_DEMO_HOSTS);
  const given = values["password-stdin"] ? await readLine() : undefined;
  if (given !== undefined) passwords.requireStrong(given, "");
  const password = given ?? readablePassword();
  const fillDatabase = async () => {
    if (!values.force) await requireEmpty();
    printMessage("Filling the database with the demo data (a few seconds)");
    return fill(password, { items, hosts });
  };
  // Passwords come last, also when the data could not be written.
  const lastLines: string[] = [];
  tellFirstAdminBy((line) => lastLines.push(line));
  try {
    const hired = await withDatabase(fillDatabase, printMessage, { bulk: true });
    print(`The demo data is in. New users: ${hired.join(", ") || "none"}`);
    print(`Next: ${process.env.npm_lifecycle_event ? "npm start" : "cadastre serve"}`);
    if (given === undefined && hired.length > 0) {
      lastLines.push(`The new users have the password ${password}`);
    }
  } finally {
    lastLines.forEach(print);
  }
}

function readCount(option: string, text: string, most: number): number {
  if (/^[0-9]{1,7}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`--${option} takes a whole number up to ${most}`);
}

async function requireEmpty(): Promise<void> {
  const found = await database.row<{ has_data: boolean }>(sql.raw(HAS_DATA));
  if (found?.has_data) {
    throw new CommandFailed("The database has data: add --force to put the demo data beside it");
  }
}
