import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const ABANDONED = 10 * 60_000;

/** Creates a directory atomically: filled under another name, then renamed. Safe against kills and other processes. */
export async function createAtomically(
  target: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  removeAbandoned(target);
  const temporary = mkdtempSync(`${target}.making-`);
  try {
    await fill(temporary);
    await rename(temporary, target).catch(unlessExists);
    syncDirectory(dirname(target));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

/** Removes what killed processes left; no process takes ten minutes. */
function removeAbandoned(target: string): void {
  const parent = dirname(target);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(target)}.making-`)) continue;
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED) rmSync(path, { recursive: true });
  }
}

/** Syncs the parent, so that the rename survives a power cut. */
function syncDirectory(parent: string): void {
  const directory = openSync(parent, "r");
  fsyncSync(directory);
  closeSync(directory);
}
