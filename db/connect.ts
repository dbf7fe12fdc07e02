// Opens connections to a server with Bun's own SQL, with the limits of a session.
import { SQL } from "bun";
import { readDatabaseAddress } from "./address.ts";
import { ACCEPTS_WRITES, SESSION_LIMITS, type SessionSettings } from "./session_settings.ts";

export interface DatabaseTarget {
  url?: string;
  /** Instead of the one in the URL. */
  database?: string;
  /** Of the embedded server: the Unix socket's directory. */
  socket?: string;
  port?: number;
  user?: string;
  /** Servers that do not accept writes refuse the connection: see failover.ts. */
  mustAcceptWrites?: boolean;
}

interface ConnectOptions {
  /** In seconds. */
  idleTimeout?: number;
}

/** Connections of their own: for the pools of requests, migrations, backup, long reads. */
export function connect(
  to: DatabaseTarget,
  max: number,
  limits: SessionSettings = SESSION_LIMITS,
  { idleTimeout = 0 }: ConnectOptions = {},
): SQL {
  return new SQL({
    adapter: "postgres",
    ...(to.url ? { url: to.url, ...databaseOf(to.url, to.database) } : {}),
    ...(to.socket
      ? { path: `${to.socket}/.s.PGSQL.${to.port}`, username: to.user, database: to.database }
      : {}),
    max,
    idleTimeout,
    connectionTimeout: 5,
    connection: to.mustAcceptWrites ? { ...limits, ...ACCEPTS_WRITES } : limits,
  });
}

/** Bun.SQL 1.4.5 would prefer PGDATABASE to the database of the URL. */
function databaseOf(url: string, instead?: string): { database?: string } {
  const database = instead ?? readDatabaseAddress(url)?.database;
  return database ? { database } : {};
}
