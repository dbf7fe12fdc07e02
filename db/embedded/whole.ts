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

/** Makes a directory that is there whole or not at all, whoever is killed meanwhile or makes it too. */
export async function makeWhole(
  target: string,
  fill: (making: string) => Promise<void>,
): Promise<void> {
  removeAbandoned(target);
  const making = mkdtempSync(`${target}.making-`);
  try {
    await fill(making);
    await rename(making, target).catch(unlessMade);
    keepName(dirname(target));
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function unlessMade(fault: NodeJS.ErrnoException): void {
  if (fault.code !== "ENOTEMPTY" && fault.code !== "EEXIST") throw fault;
}

/** What a killed process left; nobody takes ten minutes. */
function removeAbandoned(target: string): void {
  const parent = dirname(target);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(target)}.making-`)) continue;
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED) rmSync(path, { recursive: true });
  }
}

/** So that a power cut does not take the new name back. */
function keepName(parent: string): void {
  const directory = openSync(parent, "r");
  fsyncSync(directory);
  closeSync(directory);
}
