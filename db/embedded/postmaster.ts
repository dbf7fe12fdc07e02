import { readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CannotStart } from "./cannot_start.ts";
import { type Paths, socketLock, socketSetting } from "./paths.ts";

export interface Postmaster {
  pid: number;
  socket: string;
  status: string;
}

/** PostgreSQL may take long to stop; one without a keeper that does not stop is foreign. */
const STOP_TIMEOUT = { stopping: 15_000, foreign: 3_000 };

/** The process that runs on the cluster, from the lock file of PostgreSQL. */
export function postmaster({ cluster }: Paths): Postmaster | null {
  const [pid, , , , socket = "", , , status = ""] = read(lockFile(cluster)).split("\n");
  return pid ? { pid: Number(pid), socket, status: status.trim() } : null;
}

/** Whether this process still runs and is not stopping. It may be in another container. */
export function isRunning(paths: Paths, { pid }: { pid: number }): boolean {
  const found = postmaster(paths);
  return found?.pid === pid && found.status === "ready";
}

/** Returns a function for repeated checks of a PostgreSQL without a keeper: it reports once what is
 * waited for, and throws after a time limit. */
export function watchFormer(paths: Paths, report: (line: string) => void) {
  let seen = 0;
  let since = 0;
  return (former: Postmaster): void => {
    if (former.pid !== seen) {
      report(`Waiting for the former PostgreSQL to stop (process ${former.pid})`);
      seen = former.pid;
      since = Date.now();
    }
    const timeout = former.status === "ready" ? STOP_TIMEOUT.foreign : STOP_TIMEOUT.stopping;
    if (Date.now() - since > timeout) {
      throw new CannotStart(`${paths.shown} is in use by process ${former.pid}: stop it first`);
    }
  };
}

/** The postmaster of the cluster, if it is alive. */
export function runningPostmaster(paths: Paths): Postmaster | null {
  const found = postmaster(paths);
  return found && isAlive(found.pid) && worksIn(paths.cluster, found.pid) ? found : null;
}

/** Whether the postmaster was started with our socket setting. */
export function isOurs(paths: Paths): boolean {
  return read(join(paths.cluster, "postmaster.opts")).includes(`"${socketSetting(paths)}"`);
}

/** PostgreSQL refuses to start while the process in its lock files is alive. After a crash of the machine
 * another process may have that number, or a zombie may keep it. */
export function removeStaleLocks(paths: Paths): void {
  for (const path of [lockFile(paths.cluster), socketLock(paths)]) {
    const pid = Number.parseInt(read(path), 10);
    if (pid && isAlive(pid) && !worksIn(paths.cluster, pid)) rmSync(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether the process is a PostgreSQL in this cluster. Without /proc, PostgreSQL has to decide. */
function worksIn(cluster: string, pid: number): boolean {
  const name = read(`/proc/${pid}/comm`).trim();
  if (name !== "postgres") return name === "";
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch (error) {
    // The directory of another user's process is not shown; a zombie has none.
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

function lockFile(cluster: string): string {
  return join(cluster, "postmaster.pid");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
