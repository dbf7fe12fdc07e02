import { closeSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import { makeCluster } from "./cluster.ts";
import { answers } from "./database.ts";
import { adopt, explain, launch, seeLog } from "./keeper.ts";
import { alone, hold, isKept, isListenedTo } from "./pipe.ts";
import type { Places } from "./places.ts";
import {
  forgetDead,
  isOurs,
  isRunning,
  living,
  type Postmaster,
  postmaster,
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
  /** Waits for a PostgreSQL that nobody of ours keeps. */
  awaitFormer: (former: Postmaster) => void;
  /** Aborted when the database is not wanted any more. */
  signal: AbortSignal;
}

const READY = 120_000;
const SETTLED = 100;
const SIGN_OF_STOPPING = 300;
const STOPPED = 30_000;
const PAUSE = 20;

/** One attempt at a PostgreSQL that runs. Without one: another process is at it, or it ended again. */
export async function joinOrLaunch(
  place: Places,
  attempt: Attempt,
): Promise<Server | "busy" | "ended"> {
  const joined = await join(place, attempt.signal);
  if (joined) return joined;
  return (await alone(place.launching, () => launchUnlessThere(place, attempt))) ?? "busy";
}

/** Takes part in the PostgreSQL that runs; null when none does, or when it is about to stop. */
async function join(place: Places, signal: AbortSignal): Promise<Server | null> {
  const held = hold(place.inUse);
  const server = held === null ? null : await ready(place, held, signal);
  if (!server) return null;
  // The last of the others may have let go a moment before us.
  await Bun.sleep(SETTLED);
  if (isRunning(place, server)) return server;
  closeSync(server.held);
  return null;
}

/** Lets go, and waits for the end of PostgreSQL unless somebody else still holds it. */
export async function letGo(place: Places, server: Server): Promise<void> {
  const now = postmaster(place) ?? server;
  closeSync(server.held);
  const stopping = () => !isRunning(place, now);
  if (await within(SIGN_OF_STOPPING, stopping)) await within(STOPPED, () => !living(place));
}

async function launchUnlessThere(
  place: Places,
  { say, awaitFormer, signal }: Attempt,
): Promise<Server | "busy" | "ended"> {
  // Launched since we looked.
  if (isListenedTo(place.inUse)) return "busy";
  const former = living(place);
  if (former && !isAdoptable(place, former)) {
    awaitFormer(former);
    return "busy";
  }
  const found = await programs(place.dataDir);
  const way = unprivileged(found.postgres, place);
  if (former) return (await ready(place, adopt(place, former.pid, way), signal)) ?? "ended";
  await makeCluster(place, { programs: found, way, say });
  forgetDead(place);
  const since = new Date();
  const server = await ready(place, launch(place, found, way), signal);
  if (!server && !signal.aborted) explain(place, since);
  return server ?? "ended";
}

/** Whoever kept it was killed. */
function isAdoptable(place: Places, { status }: Postmaster): boolean {
  return status === "ready" && isOurs(place);
}

/** The server once it answers; null, and our end closed, when it ends before. */
async function ready(place: Places, held: number, signal: AbortSignal): Promise<Server | null> {
  const until = Date.now() + READY;
  while (!signal.aborted && isKept(held) && Date.now() < until) {
    const server = await answering(place, held);
    if (server) return server;
    await Bun.sleep(PAUSE);
  }
  const ended = signal.aborted || !isKept(held);
  closeSync(held);
  if (ended) return null;
  throw new CannotStart(`PostgreSQL in ${place.shown} does not answer; ${seeLog(place)}`);
}

async function answering(place: Places, held: number): Promise<Server | null> {
  const found = postmaster(place);
  if (found?.status !== "ready") return null;
  const version = await answers(found.socket);
  const server = version ? { ...found, version, held } : null;
  // A lock file that a crash has left says ready, too, while another PostgreSQL already answers.
  return server && isRunning(place, server) ? server : null;
}

async function within(limit: number, holds: () => boolean): Promise<boolean> {
  const until = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > until) return false;
    await Bun.sleep(PAUSE);
  }
  return true;
}
