import { constants, createReadStream } from "node:fs";
import { access, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { reason } from "../../../db/embedded/cannot_start.ts";
import { PART, writeAtomically } from "./atomic_file.ts";
import type { Destination } from "./destination.ts";
import { DestinationFailed } from "./failed.ts";

/** A part that is still written is younger. In milliseconds. */
const ABANDONED = 60 * 60 * 1_000;

export function directoryDestination(path: string): Destination {
  return {
    // It is not made here: it may be the mount point of a file system that is not mounted at the moment.
    list: () =>
      explainFileErrors(path, "cannot be written to", async () => {
        await access(path, constants.W_OK | constants.X_OK);
        return readdir(path);
      }),
    write: async (name, fill) => {
      const file = join(path, name);
      await explainFileErrors(file, "cannot be written", async () => {
        await deleteAbandoned(path);
        await writeAtomically(file, fill);
      });
      return (await stat(file)).size;
    },
    read: (name) => readFile(join(path, name)),
    remove: (name) =>
      explainFileErrors(join(path, name), "cannot be deleted", () =>
        rm(join(path, name), { force: true }),
      ),
  };
}

/** Deletes the parts that killed processes left. */
async function deleteAbandoned(path: string): Promise<void> {
  const names = await readdir(path);
  for (const name of names.filter((one) => one.startsWith("cadastre-") && one.endsWith(PART))) {
    const part = join(path, name);
    const { mtimeMs } = await stat(part);
    if (Date.now() - mtimeMs > ABANDONED) await rm(part, { force: true });
  }
}

export async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  const opened = createReadStream(file);
  try {
    for await (const part of opened) yield part;
  } catch (error) {
    throw wordsFor(error, file, "cannot be read");
  }
}

/** Errors of the file system become one sentence. */
export async function explainFileErrors<T>(
  path: string,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw wordsFor(error, path, what);
  }
}

function wordsFor(error: unknown, path: string, what: string): unknown {
  const isOfFile = error instanceof Error && "syscall" in error;
  return isOfFile
    ? new DestinationFailed(`${path} ${what}: ${reason(error)}`, { cause: error })
    : error;
}
