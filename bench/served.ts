// The server processes that are measured, and the credentials for them.
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../tools/free_port.ts";
import { PASSWORD } from "./data.ts";
import type { BenchOperation } from "./operations.ts";
import { BENCH_NETWORK } from "./operations.ts";
import { UserError } from "./report.ts";

export interface Served {
  origin: string;
  pid: number;
  /** From the start of the process to its first successful response, in milliseconds. */
  startup: number;
  stop(): Promise<void>;
  /** At once, as a crash ends it. */
  kill(): Promise<void>;
}

export type RequestHeaders = Record<string, string>;
export type Credentials = Record<BenchOperation["as"], RequestHeaders>;

const ROOT = join(import.meta.dir, "..");
const START_TIMEOUT = 60_000;
const POLL_INTERVAL = 2;

/**
 * Cadastre as in production, on a database of its own. Its log is written to /dev/null, so that only the cost of logging
 * counts.
 */
export function serve(url: string, log = "/dev/null"): Promise<Served> {
  return start(["src/main.ts", "serve"], {
    ready: "/health/ready",
    // Receivers of webhooks are on this machine.
    env: { DATABASE_URL: url, LOG_FORMAT: "json", WEBHOOK_ALLOW: "127.0.0.1/32" },
    log,
  });
}

/** With a PostgreSQL of its own in a directory; started again, it has the same port. */
export function serveEmbedded(
  directory: string,
  { port, env = {}, main = "src/main.ts" }: { port: number; env?: RequestHeaders; main?: string },
): Promise<Served> {
  return start([main, "serve"], {
    ready: "/health/ready",
    env: { ...env, DATABASE_URL: "", DATA_DIR: directory },
    port,
  });
}

/** The baseline server; see bare.ts. */
export function serveBare(
  kind: "constant" | "statements",
  env: RequestHeaders = {},
): Promise<Served> {
  return start(["bench/bare.ts", kind], { ready: "/", env });
}

/** The limit of writing; see bare_writes.ts. */
export function serveBareWrites(url: string): Promise<Served> {
  return start(["bench/bare_writes.ts"], { ready: "/", env: { DATABASE_URL: url } });
}

const running = new Set<Subprocess>();
process.once("exit", () => {
  for (const child of running) child.kill();
});

interface Starting {
  ready: string;
  env: RequestHeaders;
  log?: string;
  port?: number;
}

async function start(
  args: string[],
  { ready, env, log = "/dev/null", ...given }: Starting,
): Promise<Served> {
  const port = given.port ?? (await freePort());
  const started = performance.now();
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env, HOST: "127.0.0.1", PORT: String(port) },
    stdout: Bun.file(log),
    stderr: "inherit",
  });
  running.add(child);
  const origin = `http://127.0.0.1:${port}`;
  while (!(await answers(origin + ready))) {
    const isLate = performance.now() - started > START_TIMEOUT;
    if (child.exitCode !== null || isLate) throw new UserError(`${args.join(" ")} does not serve`);
    await Bun.sleep(POLL_INTERVAL);
  }
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal);
    await child.exited;
    running.delete(child);
  };
  return {
    origin,
    pid: child.pid,
    startup: performance.now() - started,
    stop: end("SIGINT"),
    kill: end("SIGKILL"),
  };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

export async function credentials({ origin }: Served): Promise<Credentials> {
  const [admin, reader, browser] = await Promise.all([
    tokenOf(origin, "alice"),
    tokenOf(origin, "carol"),
    sessionOf(origin, "alice"),
  ]);
  return {
    admin: { authorization: `Bearer ${admin}` },
    reader: { authorization: `Bearer ${reader}` },
    browser: { cookie: browser },
  };
}

async function tokenOf(origin: string, username: string): Promise<string> {
  const answer = await post(`${origin}/api/v1/user/login`, { username, password: PASSWORD });
  return (await answer.json()).access_token;
}

async function sessionOf(origin: string, username: string): Promise<string> {
  const answer = await fetch(`${origin}/user/login`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams({ username, password: PASSWORD }),
    redirect: "manual",
  });
  const [cookie = ""] = answer.headers.getSetCookie().map((line) => line.replace(/;.*/, ""));
  return cookie;
}

/** Makes a network that is large enough for all hosts of a run. */
export async function createNetwork({ origin }: Served, { admin }: Credentials): Promise<void> {
  const scope = {
    name: BENCH_NETWORK,
    first_vlan: 1,
    last_vlan: 9,
    supernet: "100.64.0.0/12",
    domain_id: 1,
  };
  const network = {
    vlan_name: BENCH_NETWORK,
    vlan_id: 1,
    address: "100.64.0.0/12",
    first_ip: "100.64.0.10",
    last_ip: "100.79.255.249",
    gateway: null,
    scope: BENCH_NETWORK,
  };
  await post(`${origin}/api/v1/network/scopes`, scope, admin);
  await post(`${origin}/api/v1/network/networks`, network, admin);
}

async function post(url: string, body: object, headers: RequestHeaders = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok)
    throw new UserError(
      `${new URL(url).pathname} answers ${answer.status}: ${await answer.text()}`,
    );
  return answer;
}
