// The service under test, one for each test file, with a database of its own.
import type { Server } from "bun";
import { SQL } from "bun";
import { handle } from "../../src/app.ts";
import * as auditLimits from "../../src/auth/audit_limits.ts";
import { forgetCallers } from "../../src/auth/auth.ts";
import * as jwt from "../../src/auth/jwt.ts";
import * as config from "../../src/config.ts";
import { listen } from "../../src/http/server.ts";
import * as log from "../../src/monitoring/log.ts";
import { openDatabase } from "../../src/start.ts";
import type { Person } from "./cast.ts";
import { aDatabase } from "./cluster.ts";
import { empty, type Member, prepareEmptying } from "./empty.ts";

interface Service {
  origin: string;
  /** The URL of its database, for another instance. */
  url: string;
  /** A direct connection to the database. */
  sql: SQL;
  member(person: Person): Member;
  empty(): Promise<void>;
  close(): Promise<void>;
}

type Environment = Record<string, string>;

let current: { file: string; opening: Promise<Service> } | undefined;

/** Started by the first test of a file that needs it. */
export function service(): Promise<Service> {
  if (current?.file !== Bun.main) {
    current = { file: Bun.main, opening: closeService().then(open) };
  }
  return current.opening;
}

/** Before each test. */
export async function emptyService(): Promise<void> {
  if (current?.file === Bun.main) await (await current.opening).empty();
}

export async function closeService(): Promise<void> {
  const closing = current;
  current = undefined;
  await (await closing?.opening)?.close();
}

/** A second server for the same service, with other settings. */
export async function serve(
  settings: Environment,
  options: { idleTimeout?: number } = {},
): Promise<Server<undefined>> {
  await service();
  return listen({ ...settingsWith(settings), ...options }, handle);
}

const MOST_SIGNED = 100;
const signed = new Map<string, Promise<string>>();

/** Cached for a second, because most tests send many requests within one. */
export async function tokenOf(person: Person): Promise<string> {
  const { id, jti } = (await service()).member(person);
  const now = Math.floor(Date.now() / 1000);
  const key = `${jti} ${now}`;
  const token = signed.get(key) ?? jwt.sign(id, jti).then(({ token }) => token);
  if (signed.size > MOST_SIGNED) signed.clear();
  signed.set(key, token);
  return token;
}

export async function idOf(person: Person): Promise<number> {
  return (await service()).member(person).id;
}

async function open(): Promise<Service> {
  const database = await aDatabase();
  const settings = settingsWith({ DATABASE_URL: database.url });
  log.configure(settings);
  const opened = await openDatabase(settings, () => {});
  const sql = new SQL({ url: database.url, adapter: "postgres", max: 2 });
  const [admin] = await sql`select password_hash from users`;
  const server = listen(settings, handle);
  await prepareEmptying(sql, admin.password_hash);
  let members: Member[] = await empty(sql);
  return {
    origin: server.url.origin,
    url: database.url,
    sql,
    member: ({ username }) => members.find((one) => one.username === username)!,
    empty: async () => {
      members = await empty(sql);
      forgetCallers();
    },
    close: async () => {
      await server.stop(true);
      await auditLimits.finish();
      await sql.close();
      await opened.stop();
      await database.drop();
    },
  };
}

function settingsWith(settings: Environment): config.Config {
  return config.readConfig({ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "silent", ...settings });
}
