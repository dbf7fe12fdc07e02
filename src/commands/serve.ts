import type { Server } from "bun";
import { handle } from "../app.ts";
import * as config from "../config.ts";
import * as housekeeping from "../housekeeping.ts";
import { itemExport } from "../inventory/export.ts";
import * as jobs from "../job_worker.ts";
import * as log from "../log.ts";
import { drain } from "../readiness.ts";
import { listen } from "../server.ts";
import { openDatabase } from "../start.ts";
import { readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS } from "./console.ts";
import { Failed } from "./failed.ts";

export const help = `Brings the database up to date, makes the first admin and serves the register.

Usage: cadastre serve [--host ADDRESS] [--port NUMBER]

SIGTERM ends it gracefully: /health/ready says no, answers under way go out, then the database is let go.
SIGINT does not wait for a load balancer to notice; a second signal ends it at once.

Settings:
  HOST, PORT       where it listens (127.0.0.1, 3000)
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
/** A signal to the whole group comes twice: directly, and passed on by who started us. */
const SAME_SIGNAL = 1_000;

const JOBS = [itemExport];

type Ending = "SIGTERM" | "SIGINT" | "fault";

export async function run(args: string[]): Promise<void> {
  const settings = readSettings(args);
  log.configure(settings);
  const database = await openDatabase(settings);
  try {
    await serve(settings);
  } finally {
    await database.stop();
  }
}

function readSettings(args: string[]): config.Config {
  const { values } = readArguments({
    args,
    options: { host: { type: "string" }, port: { type: "string" } },
  });
  const { host = Bun.env.HOST, port = Bun.env.PORT } = values;
  return config.read({ ...Bun.env, HOST: host, PORT: port });
}

async function serve(settings: config.Config): Promise<void> {
  const server = listen(settings, handle);
  const tidying = housekeeping.start();
  const worker = jobs.start(JOBS);
  log.say(`Cadastre serves at ${settings.publicUrl?.origin ?? server.url.origin}`);
  const ending = await untilTold();
  log.say("Cadastre ends");
  clearInterval(tidying);
  await Promise.all([worker.stop(), end(server, ending === "SIGTERM" ? NOTICE : 0)]);
  if (ending === "fault")
    throw new Failed("Cadastre has ended after a fault that its log tells of");
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

/** Until a signal, or a fault that nobody has caught; a second signal ends the process at once. */
function untilTold(): Promise<Ending> {
  return new Promise((resolve) => {
    let last = Number.NEGATIVE_INFINITY;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        const since = performance.now() - last;
        last = performance.now();
        if (since < SAME_SIGNAL) return;
        if (since < Number.POSITIVE_INFINITY) process.exit(1);
        resolve(signal);
      });
    }
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, (fault: unknown) => {
        log.error("Nobody caught a fault", fault);
        resolve("fault");
      });
    }
  });
}
