// Several processes may use a data directory at once. Each process that needs the database
// holds the pipe DATA_DIR/in_use open; the first one launches PostgreSQL, later ones join it, and when
// the last one closes it, or is killed, PostgreSQL stops. So a restart may overlap with the instance that
// still drains, a backup runs beside the server, and no process loses the database when another ends.
// When PostgreSQL itself ends, each process notices it and joins or launches it again.
import { DATABASE, DATABASE_USER, PORT } from "./database.ts";
import { memorySettings } from "./memory.ts";
import { type Paths, pathsOf, prepare } from "./paths.ts";
import type { EmbeddedServer } from "./server.ts";
import { joinOrLaunchServer, type ReportLine, supervise } from "./supervise.ts";

export { CannotStart } from "./cannot_start.ts";
export { programs } from "./programs.ts";

export interface Embedded {
  /** The directory of the Unix socket. */
  socket: string;
  port: number;
  user: string;
  database: string;
  /** The process id of the PostgreSQL that runs now, or ran last. */
  readonly pid: number;
  /** Why there is no database at the moment. */
  problem(): string | null;
  /** Releases PostgreSQL; if no other process holds it, returns after it has stopped. */
  stop(): Promise<void>;
}

/** Joins the PostgreSQL that runs on the directory, or launches one, and restarts it when it ends. */
export async function start(dataDir: string, report: ReportLine): Promise<Embedded> {
  prepare(dataDir);
  const paths = pathsOf(dataDir);
  const server = await joinOrLaunchServer(paths, { report, failed: refuse, signal: NEVER_ABORTED });
  report(`PostgreSQL ${server.version} runs in ${paths.shown} with ${memorySettings().join(", ")}`);
  return embedded(paths, server, report);
}

const NEVER_ABORTED = new AbortController().signal;

function refuse(error: Error): never {
  throw error;
}

function embedded(paths: Paths, first: EmbeddedServer, report: ReportLine): Embedded {
  const { server, problem, stop } = supervise(paths, first, report);
  return {
    socket: first.socket,
    port: PORT,
    user: DATABASE_USER,
    database: DATABASE,
    get pid() {
      return server().pid;
    },
    problem,
    stop,
  };
}
