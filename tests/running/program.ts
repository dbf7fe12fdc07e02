// Runs the program: commands, server instances, and a PostgreSQL for them.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import * as embedded from "../../db/embedded/mod.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { turnOff } from "../support/settings.ts";
import { programFile } from "./bundle.ts";
import { isAlive, launch, type Started, until } from "./processes.ts";

const ROOT = join(import.meta.dir, "..", "..");
export const MAIN = await programFile();
export const PASSWORD = "correct horse battery staple";
const SETTINGS = {
  HOST: "127.0.0.1",
  PORT: "0",
  DATABASE_URL: "",
  ADMIN_USERNAME: "alice",
  ADMIN_PASSWORD: PASSWORD,
  LOG_LEVEL: "info",
  LOG_FORMAT: "pretty",
};

type Environment = Record<string, string>;

interface CommandInput {
  settings?: Environment;
  input?: string;
}

/** Runs a command to its end. */
export async function cadastre(args: string[], { settings = {}, input = "" }: CommandInput = {}) {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, ...settings },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}

function textOf(stream: ReadableStream): Promise<string> {
  return new Response(stream).text();
}

export interface Serving extends Started {
  origin: string;
  fetch(path: string, options?: RequestInit): Promise<Response>;
}

/** An instance that has begun to start. */
export function starting(settings: Environment): Started {
  return launch([process.execPath, MAIN, "serve"], {
    cwd: ROOT,
    env: { ...SETTINGS, ...settings },
  });
}

/** An instance that serves. */
export async function serving(settings: Environment): Promise<Serving> {
  return served(starting(settings));
}

export async function served(process: Started): Promise<Serving> {
  const origin = await until("the address", () => {
    const [, address] = /serves at (http[^\s"]+)/.exec(process.said()) ?? [];
    if (!address && process.child.exitCode !== null) throw new Error(process.said());
    return address;
  });
  return { ...process, origin, fetch: (path, options) => fetch(origin + path, options) };
}

/** The headers of an admin. */
export async function administrator({ fetch }: Serving): Promise<Record<string, string>> {
  const answer = await fetch("/api/v1/user/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: SETTINGS.ADMIN_USERNAME, password: PASSWORD }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
}

export interface Server {
  /** The URL of a new database: empty, or a copy of the database at this URL, which must not be in use. */
  database(of?: string): Promise<string>;
  /** A migrated database, for tests that are not about a first start. */
  migrated(): Promise<string>;
  /** Sends a signal to all of its processes, or to the first one only. */
  signal(signal: NodeJS.Signals, whom?: "all" | "first"): void;
  stop(): Promise<void>;
}

/** A PostgreSQL for the test, which recovers from a crash as the embedded one does. */
export async function aServer(): Promise<Server> {
  const directory = await aDataDirectory();
  const server = await embedded.start(directory, () => {});
  const url = (name: string) =>
    `postgres://${server.user}@localhost:${server.port}/${name}?host=${server.socket}`;
  await trustTheMachine(url(server.database));
  const lock = join(directory, "postgres", "postmaster.pid");
  const signal: Server["signal"] = (name, whom = "all") => {
    const first = Number.parseInt(readFileSync(lock, "utf8"), 10);
    // A process that is frozen starts no others.
    if (name === "SIGSTOP") send(name, [first]);
    send(name, whom === "all" ? [first, ...childrenOf(first)] : [first]);
  };
  let made = 0;
  const database: Server["database"] = async (of) => {
    made += 1;
    const name = `test_${made}`;
    const template = of ? new URL(of).pathname.slice(1) : "template1";
    const sql = new SQL({ url: url(server.database), adapter: "postgres", max: 1 });
    await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
    await sql.close();
    return url(name);
  };
  const migrate = async () => {
    const DATABASE_URL = await database();
    const { code, err } = await cadastre(["migrate"], { settings: { DATABASE_URL } });
    if (code !== 0) throw new Error(err);
    return DATABASE_URL;
  };
  let template: Promise<string> | undefined;
  return {
    database,
    migrated: async () => {
      template ??= migrate();
      return database(await template);
    },
    signal,
    stop: async () => {
      signal("SIGCONT");
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Without syncing to disk: only processes are killed here, not the machine. */
export function trustTheMachine(address: string): Promise<void> {
  return turnOff(address, ["fsync", "full_page_writes"]);
}

/** A child may have ended since it was listed. */
function send(signal: NodeJS.Signals, pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (isAlive(pid)) throw error;
    }
  }
}

export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return stdout.split(/\s+/).filter(Boolean).map(Number);
}
