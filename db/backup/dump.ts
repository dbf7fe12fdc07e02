import type { ReservedSQL } from "bun";
import { connect, type DatabaseTarget } from "../connect.ts";
import { applied, explainConnectionError } from "../migrate.ts";
import { PART_SIZE } from "../tables/files.ts";
import {
  type BackupContents,
  CANONICAL,
  checksumOf,
  FORMAT,
  type Header,
  rowsBackedUp,
} from "./format.ts";

/**
 * The tables that are not in backups: sessions, which must not be valid after a restore, data that expires within a day,
 * the record of backups, editions, which are new after a restore, and the addresses of files in S3, whose bytes are in it as
 * those in the database are. Every other table is included, also those that later migrations add.
 */
const LEFT_OUT = [
  "sessions",
  "login_failures",
  "idempotency_keys",
  "feeds",
  "jobs",
  "job_parts",
  "migrations",
  "backups",
  "editions",
  "file_objects",
];
/** Rows that are in memory at a time; one of file_parts has half a megabyte in hexadecimal digits. */
const batchOf = (table: string) => (table === "file_parts" ? 10 : 500);
const LIMITS = {
  application_name: "cadastre backup",
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  timezone: "UTC",
};

interface DumpOptions {
  /** The bytes of a file in S3. Throws unless they have this SHA-256. */
  readObject: (object: { name: string; sha256: string }) => Promise<Uint8Array>;
  /** Gets checksums of the same snapshot. */
  note?: (contents: BackupContents) => void;
  /** The name of its connection. */
  name?: string;
  signal?: AbortSignal;
}

/** Reads all rows in one snapshot, without blocking writes. */
export async function* dump(
  target: DatabaseTarget,
  program: string,
  { readObject, note, name = LIMITS.application_name, signal }: DumpOptions,
): AsyncGenerator<string> {
  const pool = connect(target, 1, { ...LIMITS, application_name: name });
  let snapshot: ReservedSQL | undefined;
  try {
    snapshot = await pool.reserve();
    // abandon() ends only connections that were open by then; this one could wait for a lock without end.
    signal?.throwIfAborted();
    await snapshot.unsafe("begin isolation level repeatable read read only");
    await snapshot.unsafe(CANONICAL);
    const header = await describe(snapshot, program);
    if (note) note(await contentsOf(snapshot, header));
    yield `${JSON.stringify(header)}\n`;
    for (const { name } of header.tables) {
      yield* rowsOf(snapshot, name);
      if (name === "file_parts") yield* objectsOf(snapshot, readObject);
    }
    await snapshot.unsafe("commit");
  } catch (error) {
    throw explainConnectionError(error, target);
  } finally {
    snapshot?.release();
    await pool.close({ timeout: 0 });
  }
}

async function describe(snapshot: ReservedSQL, program: string): Promise<Header> {
  const names: Array<{ name: string }> = await snapshot`
    select tablename as name from pg_tables where schemaname = current_schema() order by tablename`;
  const tables: Header["tables"] = [];
  for (const { name } of names.filter((one) => !LEFT_OUT.includes(one.name))) {
    const [counted] = await snapshot.unsafe(`select ${rowsBackedUp(name)} as rows`);
    tables.push({ name, rows: counted.rows });
  }
  const [now] = await snapshot`select now()::text as at, (
    select json_object_agg(sequencename, last_value order by sequencename)
    from pg_sequences where schemaname = current_schema()) as sequences`;
  const migrations = await applied(snapshot);
  return {
    cadastre_backup: FORMAT,
    program,
    at: now.at,
    migrations,
    tables,
    sequences: now.sequences,
  };
}

async function contentsOf(snapshot: ReservedSQL, header: Header): Promise<BackupContents> {
  const tables: BackupContents["tables"] = [];
  for (const { name } of header.tables) {
    const [found] = await snapshot.unsafe(checksumOf(name, "original"));
    tables.push({ name, ...found });
  }
  return { tables, sequences: header.sequences };
}

async function* rowsOf(snapshot: ReservedSQL, name: string): AsyncGenerator<string> {
  const lines = `select '{"${name}":' || row_to_json(one)::text || '}' as line from "${name}" one order by one`;
  for await (const rows of batchesOf<{ line: string }>(snapshot, lines, batchOf(name)))
    yield `${rows.map(({ line }) => line).join("\n")}\n`;
}

/** Rows of file_parts, as they would be if the bytes were in the database. */
async function* objectsOf(
  snapshot: ReservedSQL,
  readObject: DumpOptions["readObject"],
): AsyncGenerator<string> {
  const objects = "select name, sha256 from file_objects where sha256 is not null order by name";
  for await (const batch of batchesOf<{ name: string; sha256: string }>(snapshot, objects, 500)) {
    for (const object of batch) {
      const bytes = Buffer.from(await readObject(object));
      for (let part = 0; part * PART_SIZE < bytes.length; part += 1) {
        const hex = bytes.toString("hex", part * PART_SIZE, (part + 1) * PART_SIZE);
        const row = { sha256: object.sha256, part, bytes: `\\x${hex}` };
        yield `${JSON.stringify({ file_parts: row })}\n`;
      }
    }
  }
}

async function* batchesOf<Row>(
  snapshot: ReservedSQL,
  query: string,
  size: number,
): AsyncGenerator<Row[]> {
  await snapshot.unsafe(`declare kept no scroll cursor for ${query}`);
  for (;;) {
    const rows: Row[] = await snapshot.unsafe(`fetch ${size} from kept`);
    if (rows.length === 0) break;
    yield rows;
  }
  await snapshot.unsafe("close kept");
}
