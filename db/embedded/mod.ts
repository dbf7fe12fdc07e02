// Who may use a data directory: everyone who wants to, at once. Each process that needs the database
// holds the pipe DATA_DIR/in_use open; the first one launches PostgreSQL, later ones join it, and when
// the last has let go, ended or killed, PostgreSQL stops. So a restart overlaps with the instance that
// still drains, a backup runs beside the server, and nobody loses the database when another ends.
import { CannotStart } from "./cannot_start.ts";
import { makeCluster } from "./cluster.ts";
import { DATABASE, PORT, USER } from "./database.ts";
import { type Places, places, prepare } from "./places.ts";
import { watchFormer } from "./postmaster.ts";
import { programs } from "./programs.ts";
import { join as joinServer, launch, letGo, type Server } from "./supervise.ts";
import { unprivileged } from "./unprivileged.ts";

export { CannotStart } from "./cannot_start.ts";
export { programs } from "./programs.ts";

export interface Embedded {
  /** The directory of the Unix socket. */
  socket: string;
  port: number;
  user: string;
  database: string;
  pid: number;
  /** Lets go of PostgreSQL; when nobody else holds it, returns after it has stopped. */
  stop(): Promise<void>;
}

type Say = (line: string) => void;

const MOST_LAUNCHES = 5;
const PAUSE = 50;

/** Joins the PostgreSQL that runs on the directory, or launches one. */
export async function start(dataDir: string, say: Say): Promise<Embedded> {
  prepare(dataDir);
  const place = places(dataDir);
  const server = (await joinServer(place)) ?? (await run(place, say));
  say(`PostgreSQL ${server.version} runs in ${place.shown}`);
  return embedded(place, server);
}

/** Joins the PostgreSQL that runs on the directory, if one does. */
export async function join(dataDir: string): Promise<Embedded | null> {
  const place = places(dataDir);
  const server = await joinServer(place);
  return server && embedded(place, server);
}

/** Tries both by turns, because other processes may start and stop PostgreSQL at the same moment. */
async function run(place: Places, say: Say): Promise<Server> {
  const found = await programs(place.dataDir);
  const way = unprivileged(found.postgres, place);
  await makeCluster(place, { programs: found, way, say });
  const isFree = watchFormer(place, say);
  for (let launches = 0; launches < MOST_LAUNCHES; await Bun.sleep(PAUSE)) {
    const joined = await joinServer(place);
    if (joined) return joined;
    if (!isFree()) continue;
    const launched = await launch(place, found, way);
    if (launched) return launched;
    launches++;
  }
  throw new CannotStart(`${place.shown} is in use by another PostgreSQL`);
}

function embedded(place: Places, server: Server): Embedded {
  return {
    socket: server.socket,
    port: PORT,
    user: USER,
    database: DATABASE,
    pid: server.pid,
    stop: () => letGo(place, server),
  };
}
