import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";

export const PART = ".part";

/** Writes a file completely or not at all: flushed to disk, then renamed. Only its owner can read it. */
export async function writeAtomically(
  path: string,
  fill: (file: Writable) => Promise<void>,
): Promise<void> {
  const part = `${path}.${process.pid}${PART}`;
  const file = createWriteStream(part, { mode: 0o600 });
  try {
    await fill(file);
    await finished(file.end());
    await sync(part);
    await rename(part, path);
    await sync(dirname(path));
  } catch (error) {
    file.destroy();
    await rm(part, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}
