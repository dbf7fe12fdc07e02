// The format of backups: one JSON value a line. First a header with the contents, then the rows, each under the
// name of its table, and at last a checksum. A truncated or changed backup does not match its checksum.

import { PART_SIZE } from "../tables/files.ts";

export interface Header {
  cadastre_backup: number;
  /** The version of the program that wrote it. */
  program: string;
  at: string;
  migrations: string[];
  tables: Array<{ name: string; rows: number }>;
  /** The last number that each sequence gave out, so that no id is ever given to another record. */
  sequences: Record<string, number | null>;
}

/** No backup was written or restored; the message says why and what to do. */
export class CannotBackUp extends Error {}

export const FORMAT = 1;

export function readHeader(line: string | undefined): Header {
  if (!line?.startsWith('{"cadastre_backup":')) {
    throw new CannotBackUp("This is not a backup of Cadastre");
  }
  const header = JSON.parse(line);
  if (header.cadastre_backup === FORMAT) return header;
  throw new CannotBackUp("The backup was made by a newer program: use the newer cadastre");
}

export async function* appendSeal(parts: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
  yield `${sealOf(hash)}\n`;
}

/** The lines before the seal. Throws after the last one if they do not match it. */
export async function* verifySeal(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher("sha256");
  let last: string | undefined;
  for await (const line of lines) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      yield last;
    }
    last = line;
  }
  if (last !== sealOf(hash)) throw damagedBackup();
}

export function damagedBackup(): CannotBackUp {
  return new CannotBackUp("The backup is damaged or cut off: nothing was restored");
}

function sealOf(hash: Bun.CryptoHasher): string {
  return `{"sha256":"${hash.digest("hex")}"}`;
}

/** What a restored backup must have: the rows of each table, as they were in the snapshot of the backup. */
export interface BackupContents {
  tables: Array<{ name: string; rows: number; checksum: string }>;
  sequences: Header["sequences"];
}

/** Texts of values must not depend on the settings of a database or a role. For one transaction. */
export const CANONICAL = `
  set local datestyle to 'ISO, MDY'; set local intervalstyle to 'postgres'; set local bytea_output to 'hex';
  set local extra_float_digits to 1`;

/** The rows of a table in a backup. The bytes in S3 are in it as further rows of file_parts. */
export function rowsBackedUp(table: string): string {
  if (table !== "file_parts") return `(select count(*)::int from "${table}")`;
  return `(select ((select count(*) from file_parts) + coalesce(sum(ceil(size / ${PART_SIZE}.0)), 0))::int
    from file_objects join file_blobs using (sha256))`;
}

/**
 * The number of rows and a sum over the hashes of their texts, which needs no order and little memory. Parts of files may be
 * in S3: of them, what file_blobs promises is compared with what the bytes in a restored database are.
 */
export function checksumOf(table: string, where: "original" | "restored"): string {
  if (table !== "file_parts") return sumOver(rowsBackedUp(table), `one::text`, `"${table}" one`);
  if (where === "original")
    return sumOver(rowsBackedUp(table), "sha256 || ' ' || size", "file_blobs");
  return sumOver(
    "(select count(*)::int from file_parts)",
    "encode(sha256(bytes), 'hex') || ' ' || length(bytes)",
    `file_blobs cross join lateral (
      select string_agg(bytes, '' order by part) as bytes from file_parts
      where file_parts.sha256 = file_blobs.sha256) joined`,
  );
}

function sumOver(rows: string, text: string, from: string): string {
  return `select ${rows} as rows, coalesce(sum(hashtextextended(${text}, 0)), 0)::text as checksum from ${from}`;
}

/** The parts until the signal aborts. */
export async function* untilAborted<T>(
  parts: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  for await (const part of parts) {
    signal?.throwIfAborted();
    yield part;
  }
}
