import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CannotStart, complaint, reason } from "./cannot_start.ts";
import { USER } from "./database.ts";
import type { Places } from "./places.ts";
import type { Programs } from "./programs.ts";
import { runAs, type Way } from "./unprivileged.ts";
import { makeWhole } from "./whole.ts";

interface Maker {
  programs: Programs;
  way: Way;
  say: (line: string) => void;
}

/** Makes the database cluster when there is none, and refuses one that these programs cannot read. */
export async function makeCluster(place: Places, maker: Maker): Promise<void> {
  if (!existsSync(place.cluster) || readdirSync(place.cluster).length === 0) {
    maker.say("Making the first database (a few seconds, first run only)");
    await initialize(place, maker);
  }
  requireVersion(place, maker.programs);
}

async function initialize(place: Places, { programs, way }: Maker): Promise<void> {
  try {
    await makeWhole(place.cluster, async (making) => {
      if (way.user) chownSync(making, way.user.uid, way.user.gid);
      const done = runAs(way, programs.initdb, options(making, programs.major));
      if (done.status !== 0) throw new Error(complaint(done.stderr) ?? "initdb failed");
    });
  } catch (fault) {
    throw new CannotStart(
      `The first database could not be made in ${place.shown}: ${reason(fault)}`,
    );
  }
}

/** Nobody but us may enter the directory, so whoever reaches the socket is trusted. */
function options(directory: string, major: number): string[] {
  const order = major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [];
  return [
    ...["--pgdata", directory, "--username", USER, "--auth=trust", "--no-instructions"],
    ...["--encoding=UTF8", "--locale=C", ...order],
  ];
}

function requireVersion({ cluster, shown }: Places, programs: Programs): void {
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
