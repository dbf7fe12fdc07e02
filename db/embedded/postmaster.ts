import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CannotStart } from "./cannot_start.ts";
import type { Places } from "./places.ts";

export interface Postmaster {
  pid: number;
  socket: string;
  status: string;
}

/** PostgreSQL may take long to stop; one that nobody of ours keeps and that does not stop is foreign. */
const PATIENCE = { stopping: 15_000, foreign: 3_000 };

/** What PostgreSQL's own lock file says about the process that runs on the cluster. */
export function postmaster({ cluster }: Places): Postmaster | null {
  const [pid, , , , socket = "", , , status = ""] = read(lockFile(cluster)).split("\n");
  return pid ? { pid: Number(pid), socket, status: status.trim() } : null;
}

/** Tells whether the cluster is free: asked again and again, it says once what it waits for and gives
 * up at last. The former user may have ended a moment ago. */
export function watchFormer(place: Places, say: (line: string) => void): () => boolean {
  const since = Date.now();
  let said = false;
  return () => {
    const former = living(place);
    if (!former) return true;
    const patience = former.status === "ready" ? PATIENCE.foreign : PATIENCE.stopping;
    if (Date.now() - since > patience) {
      throw new CannotStart(`${place.shown} is in use by process ${former.pid}: stop it first`);
    }
    if (!said) say(`Waiting for the former PostgreSQL to stop (process ${former.pid})`);
    said = true;
    return false;
  };
}

/** The postmaster of the cluster, if it is alive. */
export function living(place: Places): Postmaster | null {
  const found = postmaster(place);
  if (!found || !isAlive(found.pid)) return null;
  if (isPostgres(found.pid)) return found;
  // After a crash of the machine something else may have that process number, and PostgreSQL,
  // which sees only that the process is alive, would refuse to start for ever.
  rmSync(lockFile(place.cluster), { force: true });
  return null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Where there is no /proc, nothing is known and PostgreSQL decides. */
function isPostgres(pid: number): boolean {
  const name = read(`/proc/${pid}/comm`).trim();
  return name === "" || name === "postgres";
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
