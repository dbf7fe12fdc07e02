import { SQL } from "bun";
import { CannotStart } from "./cannot_start.ts";

export const DATABASE_USER = "cadastre";
export const DATABASE = "cadastre";
export const PORT = 5432;

const MISSING = "3D000";
const DISK_FULL = "53100";

/** The server's version once it answers and has our database; null while it does not. */
export async function serverVersion(socket: string): Promise<string | null> {
  try {
    return await version(socket);
  } catch (error) {
    if (sqlState(error) === MISSING) await createDatabase(socket);
    return null;
  }
}

async function version(socket: string): Promise<string> {
  return withConnection(socket, DATABASE, async (sql) => {
    const [row] =
      await sql`select split_part(current_setting('server_version'), ' ', 1) as version`;
    return row.version;
  });
}

/** Another process may create it at the same moment; other failures are retried by the caller. */
async function createDatabase(socket: string): Promise<void> {
  await withConnection(socket, "postgres", (sql) =>
    sql.unsafe(`create database ${DATABASE}`),
  ).catch((error) => {
    if (sqlState(error) !== DISK_FULL) return;
    throw new CannotStart("The database could not be created: no space is left on the device");
  });
}

async function withConnection<T>(
  socket: string,
  database: string,
  work: (sql: SQL) => Promise<T>,
): Promise<T> {
  const path = `${socket}/.s.PGSQL.${PORT}`;
  const sql = new SQL({
    adapter: "postgres",
    path,
    username: DATABASE_USER,
    database,
    max: 1,
    connectionTimeout: 5,
  });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

function sqlState(error: unknown): string | undefined {
  return error instanceof SQL.PostgresError ? error.errno : undefined;
}
