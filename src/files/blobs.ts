// The bytes of files, once for all that have the same, in parts that are small enough to be streamed.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { file_parts, PART_SIZE } from "../../db/tables/files.ts";
import type { Caller } from "../auth/auth.ts";
import { currentConfig, readConfig } from "../config.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { MOST_SENT } from "../input/limits.ts";
import type { Transaction } from "../store/write.ts";
import { objectAt } from "../system/s3.ts";

/** Bytes that are read of an object at a time. */
const RANGE = 4 * PART_SIZE;

const megabytes = (bytes: number) => `${Math.floor(bytes / 1e6).toLocaleString("en")} MB`;

export interface StoredBlob {
  sha256: string;
  size: number;
}

/** Keeps the bytes as part of a write, which says what has them. */
export async function keepBytes(
  tx: Transaction,
  caller: Caller,
  bytes: Buffer,
): Promise<StoredBlob> {
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const size = bytes.length;
  // Another one that sends the same waits here, and then finds it.
  const made = await tx.execute(sql`
    insert into file_blobs (sha256, size, sent_by) values (${sha256}, ${size}, ${caller.id})
    on conflict do nothing returning sha256`);
  if (made.length === 0) {
    // Locked, so that it does not go meanwhile.
    const [kept] = await tx.execute(
      sql`select from file_blobs where sha256 = ${sha256} for key share`,
    );
    if (!kept) throw new Refusal(503, "These bytes were just deleted; try again");
    return { sha256, size };
  }
  await insertParts(tx, sha256, bytes);
  await requireSpace(tx, caller);
  return { sha256, size };
}

export async function insertParts(
  tx: database.Transaction,
  sha256: string,
  bytes: Uint8Array,
): Promise<void> {
  for (let part = 0; part * PART_SIZE < bytes.length; part += 1) {
    const some = bytes.subarray(part * PART_SIZE, (part + 1) * PART_SIZE);
    await tx.insert(file_parts).values({ sha256, part, bytes: some });
  }
}

async function requireSpace(tx: Transaction, caller: Caller): Promise<void> {
  // Two that fit one by one may not fit together.
  const [found] = await tx.execute<{ stored: string; sent: string }>(sql`
    select pg_advisory_xact_lock(hashtextextended('file_blobs', 0)),
      (select coalesce(sum(size), 0)::text from file_blobs
        where not exists (select from file_objects where file_objects.sha256 = file_blobs.sha256)) as stored,
      (select coalesce(sum(size), 0)::text from file_blobs
        where sent_by = ${caller.id} and sent_at > now() - interval '1 hour') as sent`);
  const { filesMax, filesTo } = currentConfig() ?? {};
  const mostStored = filesTo ? Number.POSITIVE_INFINITY : (filesMax ?? Number.POSITIVE_INFINITY);
  if (Number(found?.stored) > mostStored) {
    throw invalid(
      "file",
      `All files together have at most ${megabytes(mostStored)}: delete some, or let an admin set FILES_MAX higher`,
      "too_many",
    );
  }
  if (Number(found?.sent) > MOST_SENT) {
    throw new Refusal(429, `Send at most ${megabytes(MOST_SENT)} of files in an hour`, {
      headers: { "Retry-After": "600" },
    });
  }
}

/** The bytes from one up to another, wherever they are by then. One query a part: a slow reader holds no connection. */
export async function* storedBytes(
  sha256: string,
  { from, until }: { from: number; until: number },
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < until; ) {
    const part = Math.floor(at / PART_SIZE);
    const found = await database.row<{ bytes: Uint8Array | null; name: string | null }>(sql`
      select (select bytes from file_parts where sha256 = ${sha256} and part = ${part}) as bytes,
        (select name from file_objects where sha256 = ${sha256}) as name`);
    const start = part * PART_SIZE;
    const bytes = found?.name
      ? await objectOf(found.name).range(at, Math.min(until, at + RANGE))
      : found?.bytes?.subarray(at - start, until - start);
    if (!bytes?.length) throw new Error(`The part ${part} of the file ${sha256} is missing`);
    yield bytes;
    at += bytes.length;
  }
}

/** The object with such an address. */
export function objectOf(name: string) {
  return objectAt(name, (currentConfig() ?? readConfig()).s3);
}
