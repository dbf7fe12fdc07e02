// The databases that are measured: each size is seeded once as a template, and each run works on a copy, so that its
// writes do not slow down the next one.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import * as embedded from "../db/embedded/mod.ts";
import { parentOf } from "./processes.ts";
import { type Report, UserError } from "./report.ts";

export interface Size {
  label: string;
  items: number;
  hosts: number;
}

export interface BenchServer {
  version: string;
  /** The pid of the postmaster, if it runs on this machine. */
  pid: number | undefined;
  url(database: string): string;
  admin: SQL;
  stop(): Promise<void>;
}

export interface Copy {
  url: string;
  drop(): Promise<void>;
}

export interface TemplateOptions {
  /** Make new templates, even if there are some. */
  fresh: boolean;
  report: Report;
}

export const PASSWORD = "a bench has four strong legs";
const ROOT = join(import.meta.dir, "..");
const MANY_HOSTS = join(import.meta.dir, "many_hosts.sql");
const KEPT = "cadastre_bench";
/** In seconds. */
const ADMIN_IDLE = 5;
/** The data directory of a separate embedded PostgreSQL. */
export const DIRECTORY = join(ROOT, "data", "bench");

/** The PostgreSQL at an address, else an embedded one. */
export async function start(given: string | undefined, report: Report): Promise<BenchServer> {
  const own = given ? undefined : await embedded.start(DIRECTORY, report);
  const address =
    given ??
    (own ? `postgres://${own.user}@localhost:${own.port}/${own.database}?host=${own.socket}` : "");
  // Closed while it is idle, so that it does not count as memory of PostgreSQL.
  const admin = new SQL({ url: address, adapter: "postgres", max: 1, idleTimeout: ADMIN_IDLE });
  const { version, backend } = await describeServer(admin);
  const pid = postmasterOf(backend);
  return {
    version: pid ? version : `${version}, on another machine: its CPU time is not counted`,
    pid,
    url: (database) => withDatabase(address, database),
    admin,
    stop: async () => {
      await admin.close();
      await own?.stop();
    },
  };
}

async function describeServer(admin: SQL): Promise<{ version: string; backend: number }> {
  try {
    const [server] =
      await admin`select current_setting('server_version') as version, pg_backend_pid() as backend`;
    return server;
  } catch (error) {
    throw new UserError(`The database cannot be used: ${(error as Error).message}`);
  }
}

/** A database of this size for this run alone. */
export async function copyOf(
  server: BenchServer,
  size: Size,
  making: TemplateOptions,
): Promise<Copy> {
  return copied(server, await seeded(server, size, making), size.label);
}

function seeded(
  server: BenchServer,
  { items, hosts }: Size,
  making: TemplateOptions,
): Promise<string> {
  return createTemplate(server, making, {
    name: `${items}_${hosts}`,
    what: `${items} items and ${hosts} hosts`,
    fill: (url) => seed(url, ["--items", String(items), "--hosts", String(hosts)]),
  });
}

/** Makes the data of a later run. */
export async function prepare(
  server: BenchServer,
  { sizes, hosts }: { sizes: Size[]; hosts: number[] },
  making: TemplateOptions,
): Promise<void> {
  for (const size of sizes) await seeded(server, size, making);
  for (const number of hosts) await searchable(server, number, making);
}

/** The URL of a database with this many hosts for the search; read only. */
export async function searched(
  server: BenchServer,
  hosts: number,
  making: TemplateOptions,
): Promise<string> {
  return server.url(await searchable(server, hosts, making));
}

/** The same, for this run alone. */
export async function copyOfSearched(
  server: BenchServer,
  { label, hosts }: Pick<Size, "label" | "hosts">,
  making: TemplateOptions,
): Promise<Copy> {
  return copied(server, await searchable(server, hosts, making), label);
}

function searchable(server: BenchServer, hosts: number, making: TemplateOptions): Promise<string> {
  return createTemplate(server, making, {
    name: `search_${hosts}`,
    what: `${hosts} hosts`,
    fill: async (url) => {
      await seed(url, []);
      await addHosts(url, hosts);
    },
  });
}

async function copied(server: BenchServer, template: string, label: string): Promise<Copy> {
  const name = `${KEPT}_run_${process.pid}_${label}`;
  await server.admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  return { url: server.url(name), drop: () => drop(server, name) };
}

interface Template {
  name: string;
  what: string;
  fill(url: string): Promise<void>;
}

/** Makes a template once; it is marked as finished only at the end. */
async function createTemplate(
  server: BenchServer,
  { fresh, report }: TemplateOptions,
  { name, what, fill }: Template,
): Promise<string> {
  const template = `${KEPT}_${name}_${recipe()}`;
  await removeOutdated(server, `${KEPT}_${name}_`, fresh ? "" : template);
  if (await exists(server, template)) return template;
  report(`Making ${what}; they are kept for the next run`);
  const unfinished = `${template}_unfinished`;
  await server.admin.unsafe(`create database ${unfinished}`);
  const url = server.url(unfinished);
  await fill(url);
  await settle(url);
  await server.admin.unsafe(`alter database ${unfinished} rename to ${template}`);
  return template;
}

async function seed(url: string, amounts: string[]): Promise<void> {
  const seeding = Bun.spawn(
    [process.execPath, "src/main.ts", "seed", "--password-stdin", ...amounts],
    {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: url, LOG_LEVEL: "error" },
      stdin: Buffer.from(`${PASSWORD}\n`),
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  const complaint = await new Response(seeding.stderr).text();
  if ((await seeding.exited) !== 0)
    throw new UserError(`The data could not be seeded: ${complaint}`);
}

/** Adds hosts in one transaction. */
export async function addHosts(url: string, hosts: number): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  const statements = await Bun.file(MANY_HOSTS).text();
  await sql.begin((tx) => tx.unsafe(`set local bench.hosts = ${hosts}; ${statements}`));
  await sql.close();
}

/** Vacuums, so that autovacuum does not run while we measure. */
async function settle(url: string): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  await sql.close();
}

/** Removes outdated and unfinished templates of this name, and copies left by an aborted run. */
async function removeOutdated(server: BenchServer, name: string, current: string): Promise<void> {
  const found: Array<{ datname: string }> = await server.admin`
    select datname from pg_database where starts_with(datname, ${name}) and datname <> ${current}
      or datname ~ ${`^${KEPT}_run_`} and not exists (select from pg_stat_activity used where used.datname = pg_database.datname)
        and datname !~ ${`^${KEPT}_run_${process.pid}_`}`;
  for (const { datname } of found) await drop(server, datname);
}

async function exists(server: BenchServer, name: string): Promise<boolean> {
  const [found] = await server.admin`select from pg_database where datname = ${name}`;
  return found !== undefined;
}

async function drop(server: BenchServer, name: string): Promise<void> {
  await server.admin.unsafe(`drop database if exists ${name} with (force)`);
}

/** A hash of everything that makes the data: the migrations, the demo and the hosts for the search. */
function recipe(): string {
  const names = ["db/migrations", "src/demo"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => join(ROOT, folder, name))
      .filter((path) => statSync(path).isFile()),
  );
  const texts = [...names, MANY_HOSTS].map((name) => readFileSync(name, "utf8"));
  return Bun.hash(texts.join()).toString(36);
}

function postmasterOf(backend: number): number | undefined {
  try {
    const name = readFileSync(`/proc/${backend}/comm`, "utf8");
    return name.startsWith("postgres") ? parentOf(backend) : undefined;
  } catch {
    return undefined;
  }
}

function withDatabase(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}
