// Moves the bytes of files to S3, if FILES_TO says so, and back to the database, if it says so no more. Each step may be
// the last one of a process that is killed: bytes leave one place when they are proven to be in the other.
import { type SQL, sql } from "drizzle-orm";
import { keepDoing, type Loop } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import * as servers from "../../db/servers.ts";
import { SESSION_LIMITS } from "../../db/session_settings.ts";
import { currentConfig } from "../config.ts";
import * as log from "../monitoring/log.ts";
import { DestinationAway, DestinationFailed } from "../system/backup/failed.ts";
import { insertParts, objectOf, type StoredBlob, storedBytes } from "./blobs.ts";

/** Milliseconds. */
const LOOK_INTERVAL = 60_000;
const BATCH = 100;

const IS_UNUSED = sql`unused_since < now() - interval '1 day'`;

interface StoredObject {
  name: string;
  sha256: string;
}

export function start(): Loop {
  const ending = new AbortController();
  const move = async () => {
    try {
      await moveFiles(ending.signal);
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  };
  const moving = keepDoing("Files are not moved", move, { every: LOOK_INTERVAL });
  moving.wake();
  return {
    wake: moving.wake,
    stop: () => {
      ending.abort();
      return moving.stop();
    },
  };
}

/** Throws the first error when all that can be moved is. */
export async function moveFiles(signal: AbortSignal): Promise<void> {
  const { filesTo = null } = currentConfig() ?? {};
  const [found] = await database.execute<{ is_work: boolean }>(sql`
    select exists (select from file_objects where ${isElsewhere(filesTo)} or ${IS_UNUSED})
      or ${filesTo}::text is not null and exists (select from file_parts) as is_work`);
  if (!found?.is_work) return;
  await servers.withSeparateConnection(SESSION_LIMITS, async (using) => {
    // One process moves them.
    const [lock] =
      await using`select pg_try_advisory_lock(hashtextextended('file objects', 0)) as is_ours`;
    if (lock.is_ours) await moveAll(filesTo, signal);
  });
}

function isElsewhere(filesTo: string | null): SQL {
  return sql`(sha256 is not null and starts_with(name, ${filesTo}) is not true)`;
}

async function moveAll(filesTo: string | null, signal: AbortSignal): Promise<void> {
  const failed: unknown[] = [];
  /** One that fails does not stop the others, unless they would fail as well. */
  async function forEach<Row>(
    rows: SQL,
    work: (row: Row) => Promise<void>,
    isHopeless = (error: unknown) => error instanceof DestinationAway,
  ): Promise<number> {
    let done = 0;
    for (let last = ""; ; ) {
      const batch = await database.execute<Row & { key: string }>(sql`
        select * from (${rows}) rows where key > ${last} order by key limit ${BATCH}`);
      for (const row of batch) {
        if (signal.aborted) return done;
        try {
          await work(row);
          done += 1;
        } catch (error) {
          failed.push(error);
          if (isHopeless(error)) return done;
        }
        last = row.key;
      }
      if (batch.length < BATCH) return done;
    }
  }
  const back = await forEach<StoredObject & StoredBlob>(
    sql`select name as key, name, sha256 from file_objects where ${isElsewhere(filesTo)}`,
    moveBack,
  );
  const out = await forEach<StoredBlob>(
    sql`
      select sha256 as key, sha256, size from file_blobs where ${filesTo}::text is not null
        and exists (select from file_parts where file_parts.sha256 = file_blobs.sha256)`,
    (blob) => moveOut(blob, filesTo ?? ""),
    // Each try leaves a row.
    (error) => error instanceof DestinationFailed,
  );
  const removed = await forEach<StoredObject>(
    sql`select name as key, name from file_objects where ${IS_UNUSED}`,
    remove,
  );
  if (back + out + removed > 0) log.info("Files were moved", { out, back, removed });
  if (failed.length > 0) throw failed[0];
}

async function moveOut({ sha256, size }: StoredBlob, filesTo: string): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of storedBytes(sha256, { from: 0, until: size })) parts.push(part);
  const bytes = Buffer.concat(parts);
  if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== sha256)
    throw new Error(`The bytes of ${sha256} in the database are damaged`);
  const name = `${filesTo}${sha256}-${crypto.randomUUID()}`;
  // Known before it is there, so that none is left that nobody knows.
  await database.execute(sql`insert into file_objects (name) values (${name})`);
  const object = objectOf(name);
  await object.write(bytes);
  await object.whole(sha256);
  await database.transaction(async (tx) => {
    if (!(await isLocked(tx, sha256))) return;
    // Not if it took so long that the object may be deleted just now.
    const [used] = await tx.execute(sql`
      update file_objects set sha256 = ${sha256}
      where name = ${name} and unused_since > now() - interval '1 hour' returning name`);
    if (!used) throw new Error(`To write ${name} took more than an hour`);
    await tx.execute(sql`delete from file_parts where sha256 = ${sha256}`);
  });
}

async function moveBack({ name, sha256 }: StoredObject): Promise<void> {
  const bytes = await objectOf(name).whole(sha256);
  await database.transaction(
    async (tx) => {
      if (!(await isLocked(tx, sha256))) return;
      const [left] = await tx.execute(sql`
        update file_objects set sha256 = null where name = ${name} and sha256 = ${sha256} returning name`);
      if (left) await insertParts(tx, sha256, bytes);
    },
    { wanted: database.LONG_TRANSACTION },
  );
}

/** Housekeeping may have deleted it. It locks the blob first, too. */
async function isLocked(tx: database.Transaction, sha256: string): Promise<boolean> {
  const [found] = await tx.execute(
    sql`select from file_blobs where sha256 = ${sha256} for no key update`,
  );
  return found !== undefined;
}

async function remove({ name }: StoredObject): Promise<void> {
  await objectOf(name).remove();
  await database.execute(sql`delete from file_objects where name = ${name}`);
}
