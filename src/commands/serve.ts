import type { Server } from "bun";
import { inBackground } from "../../db/background.ts";
import type { DatabaseTarget } from "../../db/connect.ts";
import * as servers from "../../db/servers.ts";
import { version } from "../../package.json";
import { handle } from "../app.ts";
import * as audit from "../auth/audit.ts";
import * as auditLimits from "../auth/audit_limits.ts";
import * as config from "../config.ts";
import * as notices from "../events/notices/worker.ts";
import * as triggers from "../events/triggers/worker.ts";
import * as webhookSender from "../events/webhooks/sender.ts";
import * as fileObjects from "../files/objects.ts";
import { endWaits } from "../history/waiting.ts";
import { endStreams } from "../http/event_stream.ts";
import { listen } from "../http/server.ts";
import { importJobs } from "../import/jobs.ts";
import { itemImporter } from "../inventory/import/import.ts";
import { itemExport } from "../inventory/items/export.ts";
import * as housekeeping from "../jobs/housekeeping.ts";
import * as jobs from "../jobs/worker.ts";
import * as log from "../monitoring/log.ts";
import { drain, setDatabaseProblem } from "../monitoring/readiness.ts";
import { preloadVocabulary } from "../network/hosts/search.ts";
import { hostImporter } from "../network/import/import.ts";
import * as siteIndexes from "../site/indexes.ts";
import { openDatabase } from "../start.ts";
import * as backupMetrics from "../system/backup/metrics.ts";
import * as backups from "../system/backup/schedule.ts";
import { installationSettings } from "../system/installation.ts";
import { applyFile } from "../user/sign_in/file.ts";
import * as directoryRefresh from "../user/sign_in/refresh.ts";
import { readArguments } from "./arguments.ts";
import { backupJob } from "./backup_job.ts";
import { DATABASE_SETTINGS, silent } from "./console.ts";
import { afterUncaught, type ShutdownReason, untilShutdown } from "./shutdown.ts";
import { shareMetrics } from "./worker_metrics.ts";
import * as workers from "./workers.ts";

export const help = `Brings the database up to date, makes the first admin and serves the register.

Usage: cadastre serve [--host ADDRESS] [--port NUMBER] [--workers NUMBER]

SIGTERM ends it gracefully: /health/ready says no, answers under way go out, then the database is let go.
SIGINT does not wait for a load balancer to notice; a second signal ends it at once.

Settings:
  HOST, PORT       where it listens (127.0.0.1, 3000)
  WORKERS          processes that share the port, on Linux (1)
${DATABASE_SETTINGS}
  DATABASE_READ_URL
                   a replica for lists, searches, feeds and exports (none)
  SECRET_KEY       signs tokens and cookies, 32 bytes or more (made once and kept in the database)
  ADMIN_USERNAME, ADMIN_PASSWORD
                   the first admin, when there is no user (admin, a password that is shown once)
  PUBLIC_URL       the origin that people use; other host names are then refused
  TRUST_PROXY      honour X-Forwarded-* (off)
  SIGN_IN_FILE     providers for the login, as JSON (none); see docs/sign-in.md
  BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP
                   proven backups to a directory or s3://bucket/prefix (none, 1d, 14); see cadastre backup
  AUDIT_DAYS       how long entries of the audit log are kept (365)
  FILES_MAX        how large photos and documents may be together in the database (2GB)
  FILES_TO         s3://bucket/prefix, where they are instead (none: in the database)
  SMTP_URL, or SMTP_HOST, SMTP_PORT, SMTP_USER, SMTP_PASSWORD
                   the server that takes mails (none: no mail); it needs PUBLIC_URL
  SMTP_FROM        the sender of mails
  SMTP_TLS         starttls, implicit or off (starttls)
  SMTP_CA_FILE     further trusted certificates for it, in PEM (none)
  ANSIBLE_VARS     who sets variables that run programs on the machine of Ansible, network or admin (network)
  WEBHOOK_ALLOW    private networks to which webhooks and triggers may use http (none)
  LOG_LEVEL        ${config.LOG_LEVELS.join(", ")} (info)
  LOG_FORMAT       pretty or json (pretty on a terminal)`;

/** Milliseconds for a load balancer to notice that the service is not ready any more. */
const DRAIN_DELAY = 2_000;
/** After the start, so that the first requests do not wait for it. */
const VOCABULARY_DELAY = 2_000;
const DRAIN_TIMEOUT = 6_000;
const POLL_INTERVAL = 20;
/** Milliseconds for what is left to print. */
const LAST_WORDS = 1_000;

export async function run(args: string[]): Promise<void> {
  const { settings, worker } = readSettings(args);
  log.configure({ ...settings, worker });
  const isShared = !worker && mayShare(settings);
  const report = worker ? silent : log.progress;
  // Only here: another command may run without the setting.
  const prepareMore = worker ? undefined : () => applyFile(settings.signInFile);
  const opened = await openDatabase(settings, report, { isWatched: !isShared, prepareMore });
  setDatabaseProblem(opened.trouble);
  try {
    if (!worker && !opened.onlyReads) await noteStart(settings);
    const { onlyReads, target } = opened;
    const serveSettings = { ...settings, onlyReads, target };
    await (worker
      ? serveAsWorker(serveSettings, worker)
      : isShared
        ? serveWithWorkers(settings)
        : serve(serveSettings));
  } finally {
    await opened.stop();
    // Requests to S3 cannot be given up, and would keep the process while they are not answered.
    setTimeout(() => process.exit(), LAST_WORDS).unref();
  }
}

function readSettings(args: string[]) {
  const { values } = readArguments({
    args,
    options: {
      host: { type: "string" },
      port: { type: "string" },
      workers: { type: "string" },
      // The number of a worker: set only by the parent process.
      worker: { type: "string" },
    },
  });
  const { host = Bun.env.HOST, port = Bun.env.PORT, workers = Bun.env.WORKERS } = values;
  const settings = config.readConfig({ ...Bun.env, HOST: host, PORT: port, WORKERS: workers });
  return { settings, worker: Number(values.worker ?? 0) };
}

/** Recorded in the audit log with the current settings. */
async function noteStart(settings: config.Config): Promise<void> {
  const inForce = installationSettings(settings).map(({ name, value }) => [name, value]);
  const details = { version, ...Object.fromEntries(inForce) };
  await audit
    .add({ event: "service.started", username: audit.CONSOLE, ...audit.NO_REQUEST, details })
    .catch((error) => log.warn("The start is not in the audit log", { error: String(error) }));
}

function mayShare({ workers }: config.Config): boolean {
  if (workers === 1 || process.platform === "linux") return workers > 1;
  log.progress("Several workers on one port need Linux: one serves");
  return false;
}

type ServeSettings = config.Config & { onlyReads: boolean; target: DatabaseTarget };

async function serve(serveSettings: ServeSettings): Promise<void> {
  // Before anybody is told that it serves: a signal would end the process at once.
  const ending = untilShutdown();
  const server = listen(serveSettings, handle);
  log.progress(`Cadastre serves at ${originOf(server, serveSettings)}`);
  await serveUntil(ending, server, serveSettings, () => log.progress("Cadastre ends"));
}

/** Serves as one of several workers; the parent process logs for all. */
async function serveAsWorker(serveSettings: ServeSettings, number: number): Promise<void> {
  const ending = untilShutdown();
  const server = listen({ ...serveSettings, sharesPort: true }, handle);
  shareMetrics(number, serveSettings.workers);
  process.send?.("serves");
  try {
    await serveUntil(ending, server, serveSettings, () => {});
  } finally {
    process.disconnect?.();
  }
}

async function serveUntil(
  shutdown: Promise<ShutdownReason>,
  server: Server<undefined>,
  settings: ServeSettings,
  report: () => void,
): Promise<void> {
  const stopBackgroundWork = settings.onlyReads ? undefined : startBackgroundWork(settings);
  const ending = await shutdown;
  report();
  await Promise.all([stopBackgroundWork?.(), end(server, ending === "SIGTERM" ? DRAIN_DELAY : 0)]);
  await auditLimits.finish().catch(() => {});
  if (typeof ending === "object") throw afterUncaught(ending.error);
}

/** Starts the background work. */
function startBackgroundWork(settings: ServeSettings): () => Promise<void> {
  const { target, backup, s3 } = settings;
  const stopBackups = backup && backups.start(target, { settings: backup, s3 });
  const loops = [
    housekeeping.start(settings),
    backupMetrics.start(backup?.every),
    directoryRefresh.start(),
    siteIndexes.start(),
    fileObjects.start(),
  ];
  const worker = jobs.start([
    itemExport,
    ...importJobs([itemImporter, hostImporter]),
    backupJob(target, settings),
  ]);
  const triggerWorker = triggers.start();
  const webhooks = webhookSender.start();
  const vocabulary = setTimeout(
    () => inBackground("The vocabulary of the search is not read", preloadVocabulary()),
    VOCABULARY_DELAY,
  );
  const stopNotices = notices.start(settings);
  return async () => {
    clearTimeout(vocabulary);
    for (const loop of loops) void loop.stop();
    await Promise.all([
      worker.stop(),
      webhooks.stop(),
      triggerWorker.stop(),
      stopNotices(),
      stopBackups?.(),
    ]);
  };
}

async function serveWithWorkers(settings: config.Config): Promise<void> {
  // The workers have connections of their own.
  await servers.close();
  const { origin, port } = await findPort(settings);
  const workerGroup = workers.start(settings.workers, {
    HOST: settings.host,
    PORT: String(port),
    WORKERS: String(settings.workers),
  });
  void workerGroup.ready.then(() =>
    log.progress(`Cadastre serves at ${origin} with ${settings.workers} workers`),
  );
  let ending: ShutdownReason | undefined;
  try {
    ending = await Promise.race([untilShutdown(), workerGroup.lost]);
  } finally {
    log.progress("Cadastre ends");
    await workerGroup.end(ending === "SIGINT" ? "SIGINT" : "SIGTERM");
  }
  if (typeof ending === "object") throw afterUncaught(ending.error);
}

// Workers would share the port with any other program that shares it. Listening alone for a moment proves that it is
// free, and finds the number for port 0.
async function findPort(settings: config.Config): Promise<{ origin: string; port: number }> {
  const server = listen(settings, () => new Response(null, { status: 503 }));
  const found = { origin: originOf(server, settings), port: server.port ?? settings.port };
  await server.stop(true);
  return found;
}

function originOf(server: Server<undefined>, { publicUrl }: config.Config): string {
  return publicUrl?.origin ?? server.url.origin;
}

async function end(server: Server<undefined>, delay: number): Promise<void> {
  drain();
  // Their readers connect again: elsewhere, once the load balancer has noticed.
  endLongRequests();
  await Bun.sleep(delay);
  // Accepts no more connections, and waits only for pending requests, not for idle connections.
  const closed = server.stop();
  const deadline = performance.now() + DRAIN_TIMEOUT;
  while (server.pendingRequests > 0 && performance.now() < deadline) {
    // Those that have come meanwhile.
    endLongRequests();
    await Bun.sleep(POLL_INTERVAL);
  }
  await server.stop(true);
  await closed;
}

function endLongRequests(): void {
  endStreams();
  endWaits();
}
