// The commands that mend a database that cannot be used, for cadastre doctor.
import { join } from "node:path";
import type { SQL } from "bun";
import { readDatabaseAddress } from "../../db/address.ts";
import type { Config } from "../config.ts";

interface DatabasePlace {
  host: string;
  port: string;
  database: string;
  user: string;
}

/** By what the error says; the first that fits. */
const COMMANDS: Array<[fits: RegExp, command: (place: DatabasePlace) => string]> = [
  [/^No database answers/, startOrAsk],
  [/does not support TLS/, () => superuser("-c 'alter system set ssl = on'")],
  [
    /password authentication|no password supplied/,
    ({ user }) => superuser(`-c '\\password ${user}'`),
  ],
  [/role ".*" does not exist/, ({ user }) => `sudo -u postgres createuser --pwprompt ${user}`],
  [
    /database ".*" does not exist/,
    ({ user, database }) => `sudo -u postgres createdb --owner ${user} ${database}`,
  ],
  [
    /permission denied/,
    ({ user, database }) => superuser(`-c 'alter database ${database} owner to ${user}'`),
  ],
  [/is too old/, () => "sudo apt-get install postgresql"],
  [
    /is encoded in/,
    ({ user, database }) =>
      `sudo -u postgres createdb --owner ${user} --encoding UTF8 --template template0 ${database}_utf8`,
  ],
  [/newer than this program/, () => "cadastre --version"],
];

/** The command for this message about the database of DATABASE_URL, or about the embedded one. */
export function databaseCommand(message: string, { databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `tail -n 50 ${join(dataDir, "postgres", "log")}/*`;
  const place = placeOf(databaseUrl);
  const [, command] = COMMANDS.find(([fits]) => fits.test(message)) ?? [];
  return command ? command(place) : `psql "$DATABASE_URL" -c 'select version()'`;
}

function startOrAsk({ host, port, database }: DatabasePlace): string {
  const isHere = /^(|localhost|127\..*|::1|\[::1\]|\/.*)$/.test(host);
  if (isHere) return "sudo systemctl start postgresql";
  return `pg_isready --host ${host} --port ${port || "5432"} --dbname ${database}`;
}

function superuser(args: string): string {
  return `sudo -u postgres psql ${args}`;
}

function placeOf(url: string): DatabasePlace {
  const address = readDatabaseAddress(url);
  const [first] = address?.hosts ?? [];
  const user = /^[a-z]+:\/\/([^:@/?]+)[^/?]*@/.exec(url)?.[1];
  const named = new URLSearchParams(url.split("?")[1]).get("user");
  return {
    host: first?.host ?? "",
    port: first?.port ?? "",
    database: address?.database || "cadastre",
    user: named ?? decodeURIComponent(user ?? "cadastre"),
  };
}

/** Runs a statement in the database of this connection by psql. */
export async function psqlCommand(sql: SQL, config: Config, statement: string): Promise<string> {
  if (config.databaseUrl !== undefined) return `psql "$DATABASE_URL" -c '${statement}'`;
  const [place] = await sql`
    select split_part(current_setting('unix_socket_directories'), ',', 1) as socket,
      current_user as user, current_database() as database`;
  return `psql -h ${place.socket} -U ${place.user} ${place.database} -c '${statement}'`;
}
