// Makes one backup: writes it, proves it by a restore, records the result, and deletes older ones.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { SQL } from "bun";
import { keepDoing } from "../../../db/background.ts";
import { dump } from "../../../db/backup/dump.ts";
import {
  appendSeal,
  type BackupContents,
  CannotBackUp,
  untilAborted,
} from "../../../db/backup/format.ts";
import { abandon, CannotProve, prove, READER } from "../../../db/backup/proof.ts";
import { connect, type DatabaseTarget } from "../../../db/connect.ts";
import { DatabaseUnavailable, messageIn, QueryRejected, translate } from "../../../db/errors.ts";
import { version } from "../../../package.json";
import type { S3Settings } from "../../config.ts";
import { objectReader } from "../s3.ts";
import { type Destination, pathOf } from "./destination.ts";
import { CannotClaim, DestinationFailed } from "./failed.ts";
import { unpackedLines } from "./lines.ts";
import { destinationOf } from "./places.ts";
import * as records from "./records.ts";

export interface BackupRequest {
  /** A directory or s3://bucket/prefix. */
  to: string;
  /** Backups to keep; all if undefined. */
  keep: number | undefined;
  /** Seconds since the last one; without it, it is made in any case. */
  every?: number;
  s3: S3Settings;
}

export interface BackupOutcome {
  file: string;
  rows: number;
  bytes: number;
  /** Why it is not proven. */
  unproven: string | null;
  /** Why older ones were not deleted. */
  kept: string | null;
}

/** Milliseconds to delete what is there after an abort. */
const CLEANUP = 4_000;

/** Null if another process makes a backup now, or if none is due. Throws CannotBackUp if it fails. */
export async function makeBackup(
  target: DatabaseTarget,
  request: BackupRequest,
  signal?: AbortSignal,
): Promise<BackupOutcome | null> {
  const using = connect(target, 1);
  try {
    const claim = await claimIfPossible(using, request);
    if (claim === null) return null;
    return await hold({ using, claim }, (held) => write(target, request, held), signal);
  } finally {
    await using.close({ timeout: 1 });
  }
}

/** A replica, or a database that is not migrated yet, cannot record it: it is made without. */
async function claimIfPossible(
  using: SQL,
  { to, every }: BackupRequest,
): Promise<records.BackupClaim | "unrecorded" | null> {
  try {
    return await records.claim(using, { destination: to, every });
  } catch (error) {
    const cause = translate(error);
    const isOlder = cause instanceof QueryRejected && /^42/.test(cause.code);
    const isReplica = cause instanceof DatabaseUnavailable && cause.onlyReads;
    if (isOlder || isReplica) return "unrecorded";
    throw new CannotClaim(messageIn(cause));
  }
}

/** Renews the claim during the work, and records the result. */
async function hold(
  { using, claim }: { using: SQL; claim: records.BackupClaim | "unrecorded" },
  work: (held: AbortSignal) => Promise<BackupOutcome>,
  signal?: AbortSignal,
): Promise<BackupOutcome> {
  if (claim === "unrecorded") return work(signal ?? new AbortController().signal);
  const lost = new AbortController();
  const held = AbortSignal.any([lost.signal, ...(signal ? [signal] : [])]);
  const aborted = Promise.withResolvers<never>();
  held.addEventListener("abort", () => aborted.reject(held.reason));
  const renew = async () => {
    const isHeld = await records.renew(using, claim);
    if (!isHeld) lost.abort(new CannotBackUp("Another process took over"));
  };
  const renewing = keepDoing("The claim of a backup was not renewed", renew, {
    every: records.RENEWAL_INTERVAL,
  });
  // The signal may abort while the claim is made: then nothing begins, and no event follows.
  const working = held.aborted ? Promise.reject(held.reason) : work(held);
  // After an abort it ends a little later.
  working.catch(() => {});
  try {
    const outcome = await Promise.race([working, aborted.promise]);
    const { file, unproven, kept } = outcome;
    const result = unproven === null ? "good" : "unproven";
    await records.finish(using, claim, { file, result, message: unproven ?? kept });
    return outcome;
  } catch (error) {
    const message = messageIn(error);
    const end = signal?.aborted
      ? records.giveUp(using, claim)
      : records.finish(using, claim, { file: null, result: "failed", message });
    // Without the database, the lease expires.
    await end.catch(() => {});
    if (held.aborted) await abandon(using).catch(() => {});
    // A command that has failed need not wait for the timer.
    await Promise.race([working.catch(() => {}), sleep(CLEANUP, undefined, { ref: false })]);
    throw error;
  } finally {
    void renewing.stop();
  }
}

async function write(
  target: DatabaseTarget,
  { to, keep, s3 }: BackupRequest,
  held: AbortSignal,
): Promise<BackupOutcome> {
  const destination = destinationOf(to, s3);
  // A missing directory or a wrong key is reported before all data is read.
  await destination.list();
  const name = fileName();
  const { bytes, contents } = await writeFile(target, { destination, name, held }, s3);
  const unproven = await whyUnproven(target, { destination, name, contents, held });
  const kept = keep === undefined ? null : await deleteOlder(destination, keep);
  const rows = contents.tables.reduce((sum, table) => sum + table.rows, 0);
  return { file: pathOf(to, name), rows, bytes, unproven, kept };
}

interface FileToWrite {
  destination: Destination;
  name: string;
  held: AbortSignal;
}

async function writeFile(
  target: DatabaseTarget,
  { destination, name, held }: FileToWrite,
  s3: S3Settings,
) {
  let contents: BackupContents = { tables: [], sequences: {} };
  const text = untilAborted(
    appendSeal(
      dump(target, version, {
        readObject: objectReader(s3),
        name: READER,
        signal: held,
        note: (found) => {
          contents = found;
        },
      }),
    ),
    held,
  );
  const bytes = await destination.write(name, (to) => pack(text, to));
  return { bytes, contents };
}

/** Compresses the text; the file stays open. */
export function pack(text: AsyncIterable<string>, to: Writable): Promise<void> {
  return pipeline(Readable.from(text), createGzip(), to, { end: false });
}

/** Null if the backup is good. The note beside it says what it was found to be. */
async function whyUnproven(
  target: DatabaseTarget,
  { destination, name, contents, held }: FileToWrite & { contents: BackupContents },
): Promise<string | null> {
  const lines = untilAborted(unpackedLines(destination.read(name)), held);
  const note = (suffix: string, facts: object) =>
    destination.write(name + suffix, async (to) => {
      to.write(`${JSON.stringify({ backup: name, at: new Date(), ...facts }, null, 2)}\n`);
    });
  try {
    await prove(target, lines, contents);
  } catch (error) {
    if (held.aborted || error instanceof DestinationFailed) throw error;
    if (error instanceof CannotProve) return error.message;
    if (error instanceof CannotBackUp) {
      await note(NOTES.bad, { program: version, reason: error.message });
      throw new CannotBackUp(`The backup ${name} is bad. ${error.message}`);
    }
    throw error;
  }
  await note(NOTES.good, { program: version, ...contents });
  return null;
}

/** The names of backups are in the order of their times. */
export function fileName(): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  return `cadastre-${time}Z.ndjson.gz`;
}

// Deletes old backups. A backup is deleted only when enough newer ones are at least as good as it is.

/** The notes beside a backup, after its name. A backup without a note is not proven. */
const NOTES = { good: ".proof.json", bad: ".bad.json" };
const BACKUP = /^cadastre-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson\.gz$/;
const NOTE = /^(cadastre-[\dTZ-]+\.ndjson\.gz)\.(?:proof|bad)\.json$/;

/** Returns why not all of them could be deleted. */
async function deleteOlder(destination: Destination, keep: number): Promise<string | null> {
  try {
    for (const name of olderOnes(await destination.list(), keep)) await destination.remove(name);
    return null;
  } catch (error) {
    const reason = messageIn(error);
    return `Older backups were not deleted: ${reason}`;
  }
}

/** A backup comes before its notes. */
function olderOnes(names: readonly string[], keep: number): string[] {
  const backups = names
    .filter((name) => BACKUP.test(name))
    .toSorted()
    .toReversed();
  const rankOf = (name: string) => {
    if (names.includes(name + NOTES.bad)) return 0;
    return names.includes(name + NOTES.good) ? 2 : 1;
  };
  const deleted = backups.filter((name, at) => {
    const newer = backups.slice(0, at).filter((other) => rankOf(other) >= rankOf(name));
    return newer.length >= keep;
  });
  const orphans = names.filter((name) => {
    const backup = NOTE.exec(name)?.[1];
    return backup !== undefined && (deleted.includes(backup) || !backups.includes(backup));
  });
  return [...deleted, ...orphans];
}
