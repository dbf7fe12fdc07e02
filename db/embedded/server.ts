import { closeSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import { createCluster } from "./cluster.ts";
import { serverVersion } from "./database.ts";
import { adopt, launchKeeper, logHint, refuseIfFailed } from "./keeper.ts";
import type { Paths } from "./paths.ts";
import { hasKeeper, isPipeRead, openPipe, withLock } from "./pipe.ts";
import {
  isOurs,
  isRunning,
  type Postmaster,
  postmaster,
  removeStaleLocks,
  runningPostmaster,
} from "./postmaster.ts";
import { programs } from "./programs.ts";
import { unprivileged } from "./unprivileged.ts";

export interface EmbeddedServer {
  pid: number;
  socket: string;
  version: string;
  /** The writing end of the pipe. */
  held: number;
}

interface LaunchAttempt {
  report: (line: string) => void;
  /** Waits for a PostgreSQL without a keeper. */
  awaitFormer: (former: Postmaster) => void;
  /** Aborted when the database is not needed any more. */
  signal: AbortSignal;
}

const START_TIMEOUT = 120_000;
const JOIN_DELAY = 100;
const STOP_STARTS_WITHIN = 300;
const STOP_TIMEOUT = 30_000;
const POLL_INTERVAL = 20;

/** One attempt. "busy": another process launches or stops it. "ended": it was started and ended again. */
export async function joinOrLaunch(
  paths: Paths,
  attempt: LaunchAttempt,
): Promise<EmbeddedServer | "busy" | "ended"> {
  const joined = await join(paths, attempt.signal);
  if (joined) return joined;
  return (await withLock(paths.launching, () => launchUnlessRunning(paths, attempt))) ?? "busy";
}

/** Joins the running PostgreSQL; null if there is none, or if it is about to stop. */
async function join(paths: Paths, signal: AbortSignal): Promise<EmbeddedServer | null> {
  const held = openPipe(paths.inUse);
  const server = held === null ? null : await waitUntilReady(paths, held, signal);
  if (!server) return null;
  // The last other process may have released it a moment before us.
  await Bun.sleep(JOIN_DELAY);
  if (isRunning(paths, server)) return server;
  closeSync(server.held);
  return null;
}

/** Closes the pipe, and waits for the end of PostgreSQL unless another process still holds it. */
export async function release(paths: Paths, server: EmbeddedServer): Promise<void> {
  const now = postmaster(paths) ?? server;
  closeSync(server.held);
  const stopping = () => !isRunning(paths, now);
  if (await within(STOP_STARTS_WITHIN, stopping))
    await within(STOP_TIMEOUT, () => !runningPostmaster(paths));
}

async function launchUnlessRunning(
  paths: Paths,
  { report, awaitFormer, signal }: LaunchAttempt,
): Promise<EmbeddedServer | "busy" | "ended"> {
  // Another process has launched it meanwhile.
  if (isPipeRead(paths.inUse)) return "busy";
  const former = runningPostmaster(paths);
  if (former && !isAdoptable(paths, former)) {
    awaitFormer(former);
    return "busy";
  }
  const found = await programs(paths.dataDir);
  const processUser = unprivileged(found.postgres, paths);
  if (former)
    return (await waitUntilReady(paths, adopt(paths, former.pid, processUser), signal)) ?? "ended";
  await createCluster(paths, { programs: found, processUser, report });
  removeStaleLocks(paths);
  const since = new Date();
  const server = await waitUntilReady(paths, launchKeeper(paths, found, processUser), signal);
  if (!server && !signal.aborted) refuseIfFailed(paths, since);
  return server ?? "ended";
}

/** Whether it is ours; its keeper was killed. */
function isAdoptable(paths: Paths, { status }: Postmaster): boolean {
  return status === "ready" && isOurs(paths);
}

/** The server once it answers; null if it ends before, and the pipe is closed. */
async function waitUntilReady(
  paths: Paths,
  held: number,
  signal: AbortSignal,
): Promise<EmbeddedServer | null> {
  const until = Date.now() + START_TIMEOUT;
  while (!signal.aborted && hasKeeper(held) && Date.now() < until) {
    const server = await readyServer(paths, held);
    if (server) return server;
    await Bun.sleep(POLL_INTERVAL);
  }
  const ended = signal.aborted || !hasKeeper(held);
  closeSync(held);
  if (ended) return null;
  throw new CannotStart(`PostgreSQL in ${paths.shown} does not answer; ${logHint(paths)}`);
}

async function readyServer(paths: Paths, held: number): Promise<EmbeddedServer | null> {
  const found = postmaster(paths);
  if (found?.status !== "ready") return null;
  const version = await serverVersion(found.socket);
  const server = version ? { ...found, version, held } : null;
  // A lock file that a crash left behind may say ready as well, while another PostgreSQL answers.
  return server && isRunning(paths, server) ? server : null;
}

async function within(limit: number, holds: () => boolean): Promise<boolean> {
  const until = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > until) return false;
    await Bun.sleep(POLL_INTERVAL);
  }
  return true;
}
