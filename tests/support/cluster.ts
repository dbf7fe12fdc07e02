// One PostgreSQL for the whole run: that of DATABASE_URL, else an embedded one of its own. A template database is
// migrated once, and each test file gets a copy of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import * as embedded from "../../db/embedded/mod.ts";
import * as config from "../../src/config.ts";
import { openDatabase } from "../../src/start.ts";
import { PASSWORD } from "./cast.ts";
import { turnOff } from "./settings.ts";

interface Cluster {
  /** The address of a database by its name. */
  url(database: string): string;
  admin: SQL;
  template: string;
  stop(): Promise<void>;
}

/** The prefix of this run's databases, because several runs may share a server. */
const RUN = `cadastre_test_${process.pid}_${Date.now().toString(36)}`;

let cluster: Promise<Cluster> | undefined;
let copies = 0;

/** A database like that of a new installation, with a function that drops it. */
export async function aDatabase() {
  cluster ??= startCluster();
  const { url, admin, template } = await cluster;
  copies += 1;
  const name = `${RUN}_${copies}`;
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  return { url: url(name), drop: () => admin.unsafe(`drop database ${name} with (force)`) };
}

export async function stopCluster(): Promise<void> {
  const stopping = await cluster;
  cluster = undefined;
  await stopping?.stop();
}

async function startCluster(): Promise<Cluster> {
  const given = process.env.DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startEmbedded();
  const admin = new SQL({ url: server.url, adapter: "postgres", max: 1 });
  const url = (database: string) => withDatabase(server.url, database);
  const template = `${RUN}_template`;
  await admin.unsafe(`create database ${template}`);
  const settings = { ADMIN_USERNAME: "alice", ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: "silent" };
  const made = await openDatabase(
    config.readConfig({ ...settings, DATABASE_URL: url(template) }),
    quiet,
  );
  await made.stop();
  return {
    url,
    admin,
    template,
    stop: async () => {
      await admin.unsafe(`drop database ${template} with (force)`);
      await admin.close();
      await server.stop();
    },
  };
}

/** Without waiting for the disk, because the data is temporary. */
async function startEmbedded() {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-tests-"));
  const server = await embedded.start(directory, quiet);
  const { user, port, database, socket } = server;
  const url = `postgres://${user}@localhost:${port}/${database}?host=${socket}`;
  await turnOff(url, ["fsync", "synchronous_commit", "full_page_writes"]);
  return {
    url,
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function withDatabase(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}

function quiet(): void {}
