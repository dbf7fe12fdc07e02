import { closeSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import { makeCluster } from "./cluster.ts";
import { answers } from "./database.ts";
import { adopt, explain, launch, seeLog } from "./keeper.ts";
import type { Paths } from "./paths.ts";
import { alone, hold, isKept, isListenedTo } from "./pipe.ts";
import {
  forgetDead,
  isOurs,
  isRunning,
  type Postmaster,
  postmaster,
  runningPostmaster,
} from "./postmaster.ts";
import { programs } from "./programs.ts";
import { unprivileged } from "./unprivileged.ts";

export interface Server {
  pid: number;
  socket: string;
  version: string;
  /** Our end of the pipe. */
  held: number;
}

export interface Attempt {
  say: (line: string) => void;
  /** Waits for a PostgreSQL that no process of ours keeps. */
  awaitFormer: (former: Postmaster) => void;
  /** Aborted when the database is not wanted any more. */
  signal: AbortSignal;
}

const READY = 120_000;
const SETTLED = 100;
const SIGN_OF_STOPPING = 300;
const STOPPED = 30_000;
const PAUSE = 20;

/** One attempt. "busy": another process launches or stops it. "ended": it was started and ended again. */
export async function joinOrLaunch(
  paths: Paths,
  attempt: Attempt,
): Promise<Server | "busy" | "ended"> {
  const joined = await join(paths, attempt.signal);
  if (joined) return joined;
  return (await alone(paths.launching, () => launchUnlessThere(paths, attempt))) ?? "busy";
}

/** Takes part in the PostgreSQL that runs; null when none does, or when it is about to stop. */
async function join(paths: Paths, signal: AbortSignal): Promise<Server | null> {
  const held = hold(paths.inUse);
  const server = held === null ? null : await ready(paths, held, signal);
  if (!server) return null;
  // The last other process may have released it a moment before us.
  await Bun.sleep(SETTLED);
  if (isRunning(paths, server)) return server;
  closeSync(server.held);
  return null;
}

/** Closes the pipe, and waits for the end of PostgreSQL unless another process still holds it. */
export async function release(paths: Paths, server: Server): Promise<void> {
  const now = postmaster(paths) ?? server;
  closeSync(server.held);
  const stopping = () => !isRunning(paths, now);
  if (await within(SIGN_OF_STOPPING, stopping))
    await within(STOPPED, () => !runningPostmaster(paths));
}

async function launchUnlessThere(
  paths: Paths,
  { say: report, awaitFormer, signal }: Attempt,
): Promise<Server | "busy" | "ended"> {
  // Launched since we looked.
  if (isListenedTo(paths.inUse)) return "busy";
  const former = runningPostmaster(paths);
  if (former && !isAdoptable(paths, former)) {
    awaitFormer(former);
    return "busy";
  }
  const found = await programs(paths.dataDir);
  const processUser = unprivileged(found.postgres, paths);
  if (former) return (await ready(paths, adopt(paths, former.pid, processUser), signal)) ?? "ended";
  await makeCluster(paths, { programs: found, processUser, say: report });
  forgetDead(paths);
  const since = new Date();
  const server = await ready(paths, launch(paths, found, processUser), signal);
  if (!server && !signal.aborted) explain(paths, since);
  return server ?? "ended";
}

/** It is ours, and its keeper was killed. */
function isAdoptable(paths: Paths, { status }: Postmaster): boolean {
  return status === "ready" && isOurs(paths);
}

/** The server once it answers; null, and our end closed, when it ends before. */
async function ready(paths: Paths, held: number, signal: AbortSignal): Promise<Server | null> {
  const until = Date.now() + READY;
  while (!signal.aborted && isKept(held) && Date.now() < until) {
    const server = await answering(paths, held);
    if (server) return server;
    await Bun.sleep(PAUSE);
  }
  const ended = signal.aborted || !isKept(held);
  closeSync(held);
  if (ended) return null;
  throw new CannotStart(`PostgreSQL in ${paths.shown} does not answer; ${seeLog(paths)}`);
}

async function answering(paths: Paths, held: number): Promise<Server | null> {
  const found = postmaster(paths);
  if (found?.status !== "ready") return null;
  const version = await answers(found.socket);
  const server = version ? { ...found, version, held } : null;
  // A lock file that a crash has left says ready, too, while another PostgreSQL already answers.
  return server && isRunning(paths, server) ? server : null;
}

async function within(limit: number, holds: () => boolean): Promise<boolean> {
  const until = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > until) return false;
    await Bun.sleep(PAUSE);
  }
  return true;
}
