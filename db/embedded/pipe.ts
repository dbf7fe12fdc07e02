// The pipe that says that somebody uses the database. The kernel closes our end whatever becomes of
// us, so that even kill -9 lets go.
import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { CannotStart } from "./cannot_start.ts";

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** Takes hold of the pipe if a keeper listens at its other end. */
export function hold(path: string): number | null {
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

/** Whether a keeper still listens. */
export function isKept(held: number): boolean {
  try {
    writeSync(held, "\n");
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EAGAIN";
  }
}
