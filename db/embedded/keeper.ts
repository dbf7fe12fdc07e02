// The process beside PostgreSQL that stops it after its last user. It is a shell script, because it
// has to outlive every user. It does not restart PostgreSQL: the users do.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { CannotStart, complaint, loggedSince } from "./cannot_start.ts";
import { PORT } from "./database.ts";
import { type Paths, socketSetting } from "./paths.ts";
import { makePipe } from "./pipe.ts";
import type { Programs } from "./programs.ts";
import { environment, type ProcessUser } from "./unprivileged.ts";

/** Reads the pipe (standard input) until all have let go, and then stops PostgreSQL. It does so until
 * PostgreSQL has ended or somebody holds the pipe again, because a PostgreSQL that is about to start
 * loses the signal. At each line that comes it looks whether PostgreSQL is still there. */
const WATCH = `
while kill -0 "$server"; do
  while read -r _; do kill -0 "$server" || exit; done
  kill -INT "$server"
  sleep 1 </dev/null
done 2>/dev/null`;

const MET_ANOTHER = /^lock file .* already exists|shared memory block .* still in use/;

/** Signals to a whole process group, as of a ctrl-C, must not reach PostgreSQL. */
const DEAF = "trap '' HUP INT TERM";

/** Runs PostgreSQL and the watch. As its parent it takes note of its end, which nobody else might do. */
const KEEPER = `${DEAF}
"$@" 3<&- & server=$!
(${WATCH}) <&3 3<&- & watch=$!
exec 3<&-
wait "$server"
kill -KILL "$watch"`;

/** For a PostgreSQL whose keeper was killed. Its second argument only tells people which one that is. */
const ADOPTER = `${DEAF}
server=$1
${WATCH}`;

/** Starts PostgreSQL; returns our end of the pipe. */
export function launch(paths: Paths, { postgres }: Programs, processUser: ProcessUser): number {
  const { held, keepers } = makePipe(paths.inUse);
  const said = openSync(paths.startLog, "w", 0o600);
  const command = [...processUser.prefix, postgres, ...options(paths)];
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", ...command], {
    stdio: ["ignore", said, said, keepers],
    ...apart(processUser),
  });
  return leave(keeper, held, [keepers, said]);
}

/** Lets a new keeper watch the PostgreSQL that runs; returns our end of the pipe. */
export function adopt(paths: Paths, pid: number, processUser: ProcessUser): number {
  const { held, keepers } = makePipe(paths.inUse);
  const keeper = spawn("sh", ["-c", ADOPTER, "keeper", String(pid), paths.cluster], {
    stdio: [keepers, "ignore", "ignore"],
    ...apart(processUser),
  });
  return leave(keeper, held, [keepers]);
}

/** Refuses to go on if PostgreSQL has said why it cannot; one that was killed, or has only met another
 * one that has to end first, may be tried again. */
export function explain(paths: Paths, since: Date): void {
  const said = readFileSync(paths.startLog, "utf8");
  const why = complaint(said) ?? complaint(loggedSince(paths.cluster, since));
  if (!why || MET_ANOTHER.test(why)) return;
  throw new CannotStart(`PostgreSQL did not start in ${paths.shown}: ${why}; ${seeLog(paths)}`);
}

export function seeLog({ shown }: Paths): string {
  return `its log is in ${shown}/postgres/log`;
}

function apart(processUser: ProcessUser) {
  return { detached: true, cwd: "/", env: environment(), ...processUser.user };
}

function leave(keeper: ReturnType<typeof spawn>, held: number, theirs: number[]): number {
  keeper.once("error", () => {});
  keeper.unref();
  for (const descriptor of theirs) closeSync(descriptor);
  return held;
}

/** Given at every start, so that they hold for clusters of all ages. */
function options(paths: Paths): string[] {
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
  ];
  return ["-D", paths.cluster, "-p", String(PORT), ...settings.flatMap((one) => ["-c", one])];
}
