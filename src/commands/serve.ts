import type { Server } from "bun";
import * as database from "../../db/client.ts";
import { handle } from "../app.ts";
import * as config from "../config.ts";
import { listen } from "../http/server.ts";
import { itemExport } from "../inventory/items/export.ts";
import * as housekeeping from "../jobs/housekeeping.ts";
import * as jobs from "../jobs/worker.ts";
import * as log from "../monitoring/log.ts";
import { askAboutDatabase, drain } from "../monitoring/readiness.ts";
import * as hostWarm from "../network/hosts/warm_up.ts";
import { openDatabase } from "../start.ts";
import { readArguments } from "./arguments.ts";
import { join } from "./colleagues.ts";
import { DATABASE_SETTINGS, silently } from "./console.ts";
import { type Ending, untilTold } from "./ending.ts";
import { Failed } from "./failed.ts";
import * as workers from "./workers.ts";

export const help = `Brings the database up to date, makes the first admin and serves the register.

Usage: cadastre serve [--host ADDRESS] [--port NUMBER] [--workers NUMBER]

SIGTERM ends it gracefully: /health/ready says no, answers under way go out, then the database is let go.
SIGINT does not wait for a load balancer to notice; a second signal ends it at once.

Settings:
  HOST, PORT       where it listens (127.0.0.1, 3000)
  WORKERS          processes that share the port, on Linux (1)
${DATABASE_SETTINGS}
  SECRET_KEY       signs tokens and cookies, 32 bytes or more (made once and kept in the database)
  ADMIN_USERNAME, ADMIN_PASSWORD
                   the first admin, when there is no user (admin, a password that is shown once)
  PUBLIC_URL       the origin that people use; other host names are then refused
  TRUST_PROXY      honour X-Forwarded-* (off)
  LOG_LEVEL        ${config.LOG_LEVELS.join(", ")} (info)
  LOG_FORMAT       pretty or json (pretty on a terminal)`;

/** Time for a load balancer to notice that we are not ready any more. */
const NOTICE = 2_000;
const LAST_ANSWERS = 6_000;
const GLANCE = 20;

const JOBS = [itemExport];

export async function run(args: string[]): Promise<void> {
  const { settings, worker } = readSettings(args);
  log.configure({ ...settings, worker });
  const opened = await openDatabase(settings, worker ? silently : log.say);
  askAboutDatabase(opened.trouble);
  try {
    const given = { ...settings, onlyReads: opened.onlyReads };
    await (worker ? work(given, worker) : isShared(settings) ? lead(settings) : serve(given));
  } finally {
    await opened.stop();
  }
}

function readSettings(args: string[]) {
  const { values } = readArguments({
    args,
    options: {
      host: { type: "string" },
      port: { type: "string" },
      workers: { type: "string" },
      // Which of the workers this is: for those alone that we start ourselves.
      worker: { type: "string" },
    },
  });
  const { host = Bun.env.HOST, port = Bun.env.PORT, workers = Bun.env.WORKERS } = values;
  const settings = config.read({ ...Bun.env, HOST: host, PORT: port, WORKERS: workers });
  return { settings, worker: Number(values.worker ?? 0) };
}

function isShared({ workers }: config.Config): boolean {
  if (workers === 1 || process.platform === "linux") return workers > 1;
  log.say("Several workers on one port need Linux: one serves");
  return false;
}

type Given = config.Config & { onlyReads: boolean };

async function serve(given: Given): Promise<void> {
  const server = listen(given, handle);
  log.say(`Cadastre serves at ${originOf(server, given)}`);
  await untilEnd(server, given, () => log.say("Cadastre ends"));
}

/** One of several; whoever keeps us speaks for us. */
async function work(given: Given, number: number): Promise<void> {
  const server = listen({ ...given, sharesPort: true }, handle);
  join(number, given.workers);
  process.send?.("serves");
  try {
    await untilEnd(server, given, () => {});
  } finally {
    process.disconnect?.();
  }
}

async function untilEnd(
  server: Server<undefined>,
  { onlyReads }: Given,
  say: () => void,
): Promise<void> {
  const stopChores = onlyReads ? undefined : beginChores();
  const ending = await untilTold();
  say();
  await Promise.all([stopChores?.(), end(server, ending === "SIGTERM" ? NOTICE : 0)]);
  if (ending === "fault") throw afterFault();
}

/** What is done besides answering. */
function beginChores(): () => Promise<void> {
  const tidying = housekeeping.start();
  const worker = jobs.start(JOBS);
  const warming = hostWarm.start();
  return async () => {
    clearTimeout(warming);
    clearInterval(tidying);
    await worker.stop();
  };
}

async function lead(settings: config.Config): Promise<void> {
  // The workers have connections of their own.
  await database.close();
  const { origin, port } = await findPort(settings);
  const crew = workers.start(settings.workers, {
    HOST: settings.host,
    PORT: String(port),
    WORKERS: String(settings.workers),
  });
  crew.ready.then(() => log.say(`Cadastre serves at ${origin} with ${settings.workers} workers`));
  let ending: Ending = "fault";
  try {
    ending = await Promise.race([untilTold(), crew.lost]);
  } finally {
    log.say("Cadastre ends");
    await crew.end(ending === "SIGINT" ? "SIGINT" : "SIGTERM");
  }
  if (ending === "fault") throw afterFault();
}

// Workers would share the port with any program that shares it. Held for a moment by us alone, it is
// known to be free; a port of 0 is known by its number.
async function findPort(settings: config.Config): Promise<{ origin: string; port: number }> {
  const server = listen(settings, () => new Response(null, { status: 503 }));
  const found = { origin: originOf(server, settings), port: server.port ?? settings.port };
  await server.stop(true);
  return found;
}

function originOf(server: Server<undefined>, { publicUrl }: config.Config): string {
  return publicUrl?.origin ?? server.url.origin;
}

function afterFault(): Failed {
  return new Failed("Cadastre has ended after a fault that its log tells of");
}

async function end(server: Server<undefined>, notice: number): Promise<void> {
  drain();
  await Bun.sleep(notice);
  // Takes no more connections; those that are kept open with nothing to say are not waited for.
  const closed = server.stop();
  const impatient = performance.now() + LAST_ANSWERS;
  while (server.pendingRequests > 0 && performance.now() < impatient) await Bun.sleep(GLANCE);
  await server.stop(true);
  await closed;
}
