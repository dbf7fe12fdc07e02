import { existsSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { CannotStart, reason } from "./cannot_start.ts";
import { makeWhole } from "./whole.ts";

const ARCHIVE = /^(postgresql-.+)\.tar\.gz$/;
const UNPACKED = 70_000_000;

/** The PostgreSQL that the build put into our binary, unpacked once per version; null without one. */
export async function carried(dataDir: string): Promise<string | null> {
  const archive = Bun.embeddedFiles.find((file) => ARCHIVE.test(nameOf(file)));
  if (!archive) return null;
  const target = join(dataDir, nameOf(archive).replace(ARCHIVE, "$1"));
  if (!existsSync(target)) await unpack(archive, target);
  return target;
}

async function unpack(archive: Blob, target: string): Promise<void> {
  const packed = new Bun.Archive(await archive.bytes());
  try {
    await makeWhole(target, async (making) => {
      await packed.extract(making);
    });
  } catch (fault) {
    const why = isFull(dirname(target)) ? "no space is left on the device" : reason(fault);
    throw new CannotStart(`PostgreSQL could not be unpacked to ${target}: ${why}`);
  }
}

/** Unpacking says nothing of the kind when it runs out of space. */
function isFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < UNPACKED;
}

/** Embedded files are named, which their type does not say. */
function nameOf(file: Blob): string {
  return (file as Bun.BunFile).name ?? "";
}
