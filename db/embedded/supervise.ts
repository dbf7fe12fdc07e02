import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";
import { complaint, latestLog } from "./complaint.ts";
import { answers, PORT } from "./database.ts";
import { hold, isKept, makePipe } from "./pipe.ts";
import { type Places, socketDirectory } from "./places.ts";
import { living, postmaster } from "./postmaster.ts";
import type { Programs } from "./programs.ts";
import { environment, type Way } from "./unprivileged.ts";

export interface Server {
  pid: number;
  socket: string;
  version: string;
  /** Our end of the pipe. */
  held: number;
}

/** Keeps PostgreSQL as long as somebody holds the pipe (descriptor 3), and stops it when all have let
 * go. One that was up and ends without being asked to is started again, until it can. Signals to a whole
 * process group, as of a ctrl-C, must not reach it. */
const KEEPER = `
trap '' HUP INT TERM
proven=
while
  began=$(date +%s)
  "$@" 3<&- & server=$!
  (while read -r _; do :; done; kill -INT "$server") <&3 & watch=$!
  wait "$server"; code=$?
  [ "$code" -le 128 ] && [ $(($(date +%s) - began)) -lt 2 ] || proven=yes
  kill -KILL "$watch" 2>/dev/null && [ "$proven" ]
do sleep 1; done`;

const READY = 120_000;
const SETTLED = 100;
const SIGN_OF_STOPPING = 300;
const STOPPED = 30_000;
const PAUSE = 20;

/** Takes part in the PostgreSQL that runs; null when none does, or when it is about to stop. */
export async function join(place: Places): Promise<Server | null> {
  const held = hold(place.inUse);
  const server = held === null ? null : await ready(place, held);
  if (!server) return null;
  // The last of the others may have let go a moment before us.
  await Bun.sleep(SETTLED);
  if (isRunning(place, server)) return server;
  closeSync(server.held);
  return null;
}

/** Starts PostgreSQL; null when another process was faster and is already gone again. */
export async function launch(
  place: Places,
  { postgres }: Programs,
  way: Way,
): Promise<Server | null> {
  const { held, keepers } = makePipe(place.inUse);
  const said = openSync(place.startLog, "w", 0o600);
  const command = [...way.prefix, postgres, ...options(place)];
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", ...command], {
    stdio: ["ignore", said, said, keepers],
    detached: true,
    cwd: "/",
    env: environment(),
    ...way.user,
  });
  keeper.once("error", () => {});
  keeper.unref();
  closeSync(keepers);
  closeSync(said);
  const server = await ready(place, held);
  if (!server) explain(place);
  return server;
}

/** Lets go, and waits for the end of PostgreSQL unless somebody else still holds it. */
export async function letGo(place: Places, server: Server): Promise<void> {
  // Its keeper may have started it again since, as another process.
  const now = postmaster(place) ?? server;
  closeSync(server.held);
  const stopping = () => !isRunning(place, now);
  if (await within(SIGN_OF_STOPPING, stopping)) await within(STOPPED, () => !living(place));
}

/** The server once it answers; null, and our end closed, when it ends before. */
async function ready(place: Places, held: number): Promise<Server | null> {
  const until = Date.now() + READY;
  while (isKept(held) && Date.now() < until) {
    const server = await answering(place, held);
    if (server) return server;
    await Bun.sleep(PAUSE);
  }
  const ended = !isKept(held);
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

function isRunning(place: Places, { pid }: { pid: number }): boolean {
  const found = postmaster(place);
  return found?.pid === pid && found.status === "ready";
}

/** Why PostgreSQL has ended; silent when it only met another one, which is then to be awaited. */
function explain(place: Places): void {
  const said = readFileSync(place.startLog, "utf8");
  if (/lock file .* already exists|shared memory block .* still in use/.test(said)) return;
  const why = complaint(said) ?? complaint(latestLog(place.cluster)) ?? "it ended";
  throw new CannotStart(`PostgreSQL did not start in ${place.shown}: ${why}; ${seeLog(place)}`);
}

function seeLog({ shown }: Places): string {
  return `its log is in ${shown}/postgres/log`;
}

async function within(limit: number, holds: () => boolean): Promise<boolean> {
  const until = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > until) return false;
    await Bun.sleep(PAUSE);
  }
  return true;
}

/** Given at every start, so that they hold for clusters of all ages. */
function options(place: Places): string[] {
  const settings = {
    listen_addresses: "",
    unix_socket_directories: socketDirectory(place),
    unix_socket_permissions: "0700",
    timezone: "UTC",
    log_timezone: "UTC",
    // One file for each weekday, over that of the week before. What people typed stays out of it.
    logging_collector: "on",
    log_filename: "postgresql-%a.log",
    log_rotation_age: "1d",
    log_rotation_size: "0",
    log_truncate_on_rotation: "on",
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", place.cluster, "-p", String(PORT), ...given];
}
