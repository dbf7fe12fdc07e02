// Opens the database that the settings name. Every command begins here.

import { eq, sql } from "drizzle-orm";
import { readServers } from "../db/address.ts";
import * as database from "../db/client.ts";
import type { DatabaseTarget } from "../db/connect.ts";
import * as embedded from "../db/embedded/mod.ts";
import type { ReportLine } from "../db/embedded/supervise.ts";
import { isUnavailable, messageIn } from "../db/errors.ts";
import { NoServer, openServer, watchServer } from "../db/failover.ts";
import { migrate } from "../db/migrate.ts";
import { watchReplica } from "../db/replica.ts";
import * as servers from "../db/servers.ts";
import { settings } from "../db/tables/user.ts";
import * as jwt from "./auth/jwt.ts";
import * as sealed from "./auth/sealed.ts";
import { sessionSecret } from "./auth/secret.ts";
import { type Config, setConfig } from "./config.ts";
import * as changeIds from "./input/change_ids.ts";
import { seedActions } from "./inventory/attributes/attributes.ts";
import * as log from "./monitoring/log.ts";
import { ensureAdmin } from "./user/first_admin.ts";

export interface Started {
  target: DatabaseTarget;
  /** It is a replica. */
  onlyReads: boolean;
  /** Why there is no database at the moment, where it is known. */
  trouble(): string | null;
  stop(): Promise<void>;
}

export interface OpenOptions {
  /** Statements and transactions get ten minutes, not the seconds of a request. */
  bulk?: boolean;
  /** A server that is lost is replaced, and a replica is used: for processes that serve. */
  isWatched?: boolean;
  /** What else has to be written before the database is used; done again when PostgreSQL was killed meanwhile. */
  prepareMore?: () => Promise<void>;
}

/** Milliseconds to wait for the embedded PostgreSQL to come back at the start. */
const START_TIMEOUT = 60_000;
/** Milliseconds to wait for one of several servers to become the primary. */
const FAILOVER_TIMEOUT = 45_000;
const RETRY_DELAY = 250;

/** The database that the settings name, up to date and, where it may be written to, with a first admin. */
export async function openDatabase(
  config: Config,
  report: ReportLine = log.progress,
  options: OpenOptions = {},
): Promise<Started> {
  const started = await retryWhileNoServer(() => waitForDatabase(config, report), report);
  setConfig(config);
  try {
    const open = () => prepareTarget(started.target, config, { report, ...options });
    const onlyReads = config.databaseUrl ? await open() : await retryWhileUnavailable(open);
    const stopWatching = options.isWatched
      ? watch(started.target, config, { onlyReads })
      : () => {};
    const stop = () => {
      stopWatching();
      return started.stop();
    };
    return { ...started, stop, onlyReads };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** The server that is open, if there are several, and the replica for reads. Returns a function that ends it. */
function watch(
  target: DatabaseTarget,
  { databaseUrl, databaseReadUrl }: Config,
  { onlyReads }: { onlyReads: boolean },
): () => void {
  const report: ReportLine = (line) => log.warn(line);
  const list = databaseUrl === undefined ? undefined : readServers(databaseUrl);
  const watches: Array<() => void> = [];
  if (list) watches.push(watchServer({ list, target, report }));
  if (databaseReadUrl && !onlyReads) watches.push(watchReplica({ url: databaseReadUrl, report }));
  return () => {
    for (const end of watches) end();
  };
}

/** Returns whether the database is a replica. */
async function prepareTarget(
  target: DatabaseTarget,
  config: Config,
  { report, prepareMore, ...options }: OpenOptions & { report: ReportLine },
): Promise<boolean> {
  await migrate(target, report);
  servers.open(target, options);
  const onlyReads = await isReplica();
  if (onlyReads) report("The database is a replica: this instance only reads");
  else await prepare(config);
  const signingKey = config.secretKey ?? (await storedSetting("secret_key"));
  jwt.useKey(signingKey);
  sealed.useKey(signingKey);
  changeIds.useKey(await storedSetting("change_id_key"));
  if (!onlyReads) await prepareMore?.();
  return onlyReads;
}

interface Retry {
  /** Milliseconds. */
  timeout: number;
  isExpected: (error: unknown) => boolean;
  beforeNext: (error: unknown) => void | Promise<void>;
}

/** Runs the work again while it fails as expected. */
async function retry<T>(
  work: () => Promise<T>,
  { timeout, isExpected, beforeNext }: Retry,
): Promise<T> {
  const until = Date.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isExpected(error) || Date.now() > until) throw error;
      await beforeNext(error);
      await Bun.sleep(RETRY_DELAY);
    }
  }
}

/** A start during a failover waits for the new primary. */
function retryWhileNoServer<T>(work: () => Promise<T>, report: ReportLine): Promise<T> {
  let reported = false;
  return retry(work, {
    timeout: FAILOVER_TIMEOUT,
    isExpected: (error) => error instanceof NoServer,
    beforeNext: (error) => {
      if (!reported) report(`${messageIn(error)}; trying again`);
      reported = true;
    },
  });
}

/** The embedded PostgreSQL may be killed under us, or stop for its last user, and is started again. */
function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const beforeNext = () => servers.close();
  return retry(work, { timeout: START_TIMEOUT, isExpected: isUnavailable, beforeNext });
}

/** The server only, without migration: an external one by its URL, or the embedded one, joined or launched. */
export async function waitForDatabase(
  config: Config,
  report: ReportLine,
): Promise<Omit<Started, "onlyReads">> {
  if (config.databaseUrl) {
    const list = readServers(config.databaseUrl);
    const target = list ? await openServer(list) : { url: config.databaseUrl };
    return { target, trouble: () => null, stop: servers.close };
  }
  const server = await embedded.start(config.dataDir, report);
  const { socket, port, user, database: name, problem: trouble } = server;
  return {
    target: { socket, port, user, database: name },
    trouble,
    stop: async () => {
      await servers.close();
      await server.stop();
    },
  };
}

async function isReplica(): Promise<boolean> {
  const found = await database.row<{ so: boolean }>(sql`select pg_is_in_recovery() as so`);
  return found?.so ?? false;
}

async function prepare(config: Config): Promise<void> {
  await seedActions();
  if (!config.secretKey) await makeSecret();
  await ensureAdmin(config);
}

/** Once; every instance on this database, and on its replicas, signs with it. */
async function makeSecret(): Promise<void> {
  const secret = { name: "secret_key", value: sessionSecret() };
  await database.execute(database.build.insert(settings).values(secret).onConflictDoNothing());
}

async function storedSetting(name: string): Promise<string> {
  const kept = await database.row(
    database.build.select({ value: settings.value }).from(settings).where(eq(settings.name, name)),
  );
  return kept?.value ?? "";
}
