// The keeper: a process that stops PostgreSQL after its last user. It is a shell script, because it
// has to outlive every user. It does not restart PostgreSQL: the users do.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { CannotStart, errorMessageIn, logSince } from "./cannot_start.ts";
import { PORT } from "./database.ts";
import { memorySettings, processSettings } from "./memory.ts";
import { type Paths, socketSetting } from "./paths.ts";
import { makePipe } from "./pipe.ts";
import type { Programs } from "./programs.ts";
import { environment, type ProcessUser } from "./unprivileged.ts";

/** Reads the pipe (standard input) until all users have closed it, and then stops PostgreSQL. It repeats the
 * signal until PostgreSQL has ended or the pipe is opened again, because a PostgreSQL that is starting
 * loses the signal. At each line it checks whether PostgreSQL still runs. */
const WATCH = `
while kill -0 "$server"; do
  while read -r _; do kill -0 "$server" || exit; done
  kill -INT "$server"
  sleep 1 </dev/null
done 2>/dev/null`;

const OTHER_SERVER_RUNS = /^lock file .* already exists|shared memory block .* still in use/;

/** Signals to a whole process group, as of a ctrl-C, must not reach PostgreSQL. */
const IGNORE_SIGNALS = "trap '' HUP INT TERM";

/** Runs PostgreSQL and the watch. As the parent of PostgreSQL it reaps it. */
const KEEPER = `${IGNORE_SIGNALS}
"$@" 3<&- & server=$!
(${WATCH}) <&3 3<&- & watch=$!
exec 3<&-
wait "$server"
kill -KILL "$watch"`;

/** For a PostgreSQL whose keeper was killed. The second argument only identifies it in process lists. */
const ADOPTER = `${IGNORE_SIGNALS}
server=$1
${WATCH}`;

/** Starts PostgreSQL; returns the writing end of the pipe. */
export function launchKeeper(
  paths: Paths,
  { postgres, major }: Programs,
  processUser: ProcessUser,
): number {
  const { held, keepers } = makePipe(paths.inUse);
  const log = openSync(paths.startLog, "w", 0o600);
  const command = [...processUser.prefix, postgres, ...options(paths, major)];
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", ...command], {
    stdio: ["ignore", log, log, keepers],
    ...spawnOptions(processUser),
  });
  return detach(keeper, held, [keepers, log]);
}

/** Starts a new keeper for the running PostgreSQL; returns the writing end of the pipe. */
export function adopt(paths: Paths, pid: number, processUser: ProcessUser): number {
  const { held, keepers } = makePipe(paths.inUse);
  const keeper = spawn("sh", ["-c", ADOPTER, "keeper", String(pid), paths.cluster], {
    stdio: [keepers, "ignore", "ignore"],
    ...spawnOptions(processUser),
  });
  return detach(keeper, held, [keepers]);
}

/** Throws if PostgreSQL has logged why it cannot start. If it was killed, or another one has to end first,
 * the start can be retried. */
export function refuseIfFailed(paths: Paths, since: Date): void {
  const log = readFileSync(paths.startLog, "utf8");
  const why = errorMessageIn(log) ?? errorMessageIn(logSince(paths.cluster, since));
  if (!why || OTHER_SERVER_RUNS.test(why)) return;
  throw new CannotStart(`PostgreSQL did not start in ${paths.shown}: ${why}; ${logHint(paths)}`);
}

export function logHint({ shown }: Paths): string {
  return `its log is in ${shown}/postgres/log`;
}

function spawnOptions(processUser: ProcessUser) {
  return { detached: true, cwd: "/", env: environment(), ...processUser.user };
}

function detach(keeper: ReturnType<typeof spawn>, held: number, theirs: number[]): number {
  keeper.once("error", () => {});
  keeper.unref();
  for (const descriptor of theirs) closeSync(descriptor);
  return held;
}

/** Set at every start, so that they apply to existing clusters, too. */
function options(paths: Paths, major: number): string[] {
  const settings = [
    "listen_addresses=",
    socketSetting(paths),
    "unix_socket_permissions=0700",
    "timezone=UTC",
    "log_timezone=UTC",
    // One file for each weekday, over that of the week before. What people typed stays out of it.
    "logging_collector=on",
    "log_filename=postgresql-%a.log",
    "log_rotation_age=1d",
    "log_rotation_size=0",
    "log_truncate_on_rotation=on",
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_checkpoints=off",
    ...memorySettings(),
    ...processSettings(major),
  ];
  return ["-D", paths.cluster, "-p", String(PORT), ...settings.flatMap((one) => ["-c", one])];
}
