import { SQL } from "bun";
import { CannotStart } from "./cannot_start.ts";

export const USER = "cadastre";
export const DATABASE = "cadastre";
export const PORT = 5432;

const MISSING = "3D000";
const DISK_FULL = "53100";

/** The server's version once it answers and has our database; null while it does not. */
export async function answers(socket: string): Promise<string | null> {
  try {
    return await version(socket);
  } catch (fault) {
    if (sqlState(fault) === MISSING) await createDatabase(socket);
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

/** Whoever starts at the same moment may be faster; what fails for another reason is tried again. */
async function createDatabase(socket: string): Promise<void> {
  await withConnection(socket, "postgres", (sql) =>
    sql.unsafe(`create database ${DATABASE}`),
  ).catch((fault) => {
    if (sqlState(fault) !== DISK_FULL) return;
    throw new CannotStart("The database could not be created: no space is left on the device");
  });
}

async function withConnection<T>(
  socket: string,
  database: string,
  ask: (sql: SQL) => Promise<T>,
): Promise<T> {
  const path = `${socket}/.s.PGSQL.${PORT}`;
  const sql = new SQL({
    adapter: "postgres",
    path,
    username: USER,
    database,
    max: 1,
    connectionTimeout: 5,
  });
  try {
    return await ask(sql);
  } finally {
    await sql.close();
  }
}

function sqlState(fault: unknown): string | undefined {
  return fault instanceof SQL.PostgresError ? fault.errno : undefined;
}
