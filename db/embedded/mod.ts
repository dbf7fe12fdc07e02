// Who may use a data directory: everyone who wants to, at once. Each process that needs the database
// holds the pipe DATA_DIR/in_use open; the first one launches PostgreSQL, later ones join it, and when
// the last has let go, ended or killed, PostgreSQL stops. So a restart overlaps with the instance that
// still drains, a backup runs beside the server, and nobody loses the database when another ends.
// When PostgreSQL itself ends, each of its users sees that and does the same again: joins or launches.
import { DATABASE, PORT, USER } from "./database.ts";
import { type Places, places, prepare } from "./places.ts";
import type { Server } from "./server.ts";
import { obtain, type Say, supervise } from "./supervise.ts";

export { CannotStart } from "./cannot_start.ts";
export { programs } from "./programs.ts";

export interface Embedded {
  /** The directory of the Unix socket. */
  socket: string;
  port: number;
  user: string;
  database: string;
  /** Of the PostgreSQL that runs now, or ran last. */
  readonly pid: number;
  /** Why there is no database at the moment. */
  trouble(): string | null;
  /** Lets go of PostgreSQL; when nobody else holds it, returns after it has stopped. */
  stop(): Promise<void>;
}

/** Joins the PostgreSQL that runs on the directory, or launches one, and sees to it that it stays. */
export async function start(dataDir: string, say: Say): Promise<Embedded> {
  prepare(dataDir);
  const place = places(dataDir);
  const server = await obtain(place, { say, failed: refuse, signal: UNTIL_IT_IS });
  say(`PostgreSQL ${server.version} runs in ${place.shown}`);
  return embedded(place, server, say);
}

const UNTIL_IT_IS = new AbortController().signal;

function refuse(fault: Error): never {
  throw fault;
}

function embedded(place: Places, first: Server, say: Say): Embedded {
  const { server, trouble, stop } = supervise(place, first, say);
  return {
    socket: first.socket,
    port: PORT,
    user: USER,
    database: DATABASE,
    get pid() {
      return server().pid;
    },
    trouble,
    stop,
  };
}
