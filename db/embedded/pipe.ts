// The pipe that each user of the database holds open, and the lock of the process that launches it. The
// kernel releases both when the process ends, also after kill -9.
import { Database, SQLiteError } from "bun:sqlite";
import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { CannotStart, reason } from "./cannot_start.ts";

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** Opens the pipe if a keeper reads it. */
export function openPipe(path: string): number | null {
  try {
    return openSync(path, O_WRONLY | O_NONBLOCK);
  } catch {
    return null;
  }
}

/** Both ends of the pipe: one to hold, one for a keeper that is about to start. */
export function makePipe(path: string): { held: number; keepers: number } {
  if (!existsSync(path)) spawnSync("mkfifo", ["-m", "600", path]);
  try {
    // Opening one end waits for the other, except when both are opened at once.
    const both = openSync(path, O_RDWR);
    const ends = { keepers: openSync(path, O_RDONLY), held: openSync(path, O_WRONLY | O_NONBLOCK) };
    closeSync(both);
    return ends;
  } catch {
    throw new CannotStart(`${path} cannot be made: the file system must allow named pipes`);
  }
}

/** Whether a keeper still reads the pipe; the line that is written makes it check PostgreSQL. */
export function hasKeeper(held: number): boolean {
  try {
    writeSync(held, "\n");
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN";
  }
}

/** Whether any keeper reads the pipe. */
export function isPipeRead(path: string): boolean {
  const held = openPipe(path);
  if (held === null) return false;
  const isRead = hasKeeper(held);
  closeSync(held);
  return isRead;
}

/** Does the work under a lock; null if another process holds it. SQLite's lock is the one that Bun offers on all systems. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  const lock = acquire(path);
  if (!lock) return null;
  try {
    return await work();
  } finally {
    lock.close();
  }
}

function acquire(path: string): Database | null {
  let lock: Database | undefined;
  try {
    lock = new Database(path, { create: true, readwrite: true });
    // Nothing is ever written: the file stays empty and gets no journal.
    lock.run("pragma journal_mode = memory");
    lock.run("begin exclusive");
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return null;
    throw new CannotStart(`${path} cannot be locked: ${reason(error)}`);
  }
}
