import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAtomically } from "./atomic_directory.ts";
import { CannotStart, errorMessageIn, reason } from "./cannot_start.ts";
import { DATABASE_USER } from "./database.ts";
import type { Paths } from "./paths.ts";
import type { Programs } from "./programs.ts";
import { type ProcessUser, runUnprivileged } from "./unprivileged.ts";

interface ClusterOptions {
  programs: Programs;
  processUser: ProcessUser;
  report: (line: string) => void;
}

/** Creates the database cluster if there is none; refuses one of another major version. */
export async function createCluster(paths: Paths, maker: ClusterOptions): Promise<void> {
  if (!existsSync(paths.cluster) || readdirSync(paths.cluster).length === 0) {
    maker.report("Making the first database (a few seconds, first run only)");
    await initialize(paths, maker);
  }
  requireVersion(paths, maker.programs);
}

async function initialize(paths: Paths, { programs, processUser }: ClusterOptions): Promise<void> {
  try {
    await createAtomically(paths.cluster, async (temporary) => {
      if (processUser.user) chownSync(temporary, processUser.user.uid, processUser.user.gid);
      const done = runUnprivileged(
        processUser,
        programs.initdb,
        options(temporary, programs.major),
      );
      if (done.status !== 0) throw new Error(errorMessageIn(done.stderr) ?? "initdb failed");
    });
  } catch (error) {
    throw new CannotStart(
      `The first database could not be made in ${paths.shown}: ${reason(error)}`,
    );
  }
}

/** Only our user may enter the directory, so every client of the socket is trusted. */
function options(directory: string, major: number): string[] {
  const order = major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [];
  return [
    ...["--pgdata", directory, "--username", DATABASE_USER, "--auth=trust", "--no-instructions"],
    ...["--encoding=UTF8", "--locale=C", ...order],
  ];
}

function requireVersion({ cluster, shown }: Paths, programs: Programs): void {
  const file = join(cluster, "PG_VERSION");
  if (!existsSync(file)) {
    throw new CannotStart(
      `${shown}/postgres is not a database: move it away, or set another DATA_DIR`,
    );
  }
  const made = Number.parseInt(readFileSync(file, "utf8"), 10);
  if (made !== programs.major) {
    throw new CannotStart(
      `The database in ${shown} was made by PostgreSQL ${made}, and this is ${programs.major}: back it up with the former and restore it into an empty DATA_DIR`,
    );
  }
}
