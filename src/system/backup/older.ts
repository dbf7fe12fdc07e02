// Deletes old backups. A backup is deleted only when enough newer ones are at least as good as it is.
import { messageIn } from "../../../db/errors.ts";
import type { Destination } from "./destination.ts";

/** The notes beside a backup, after its name. A backup without a note is not proven. */
export const NOTES = { good: ".proof.json", bad: ".bad.json" };
const BACKUP = /^cadastre-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson\.gz$/;
const NOTE = /^(cadastre-[\dTZ-]+\.ndjson\.gz)\.(?:proof|bad)\.json$/;

/** Returns why not all of them could be deleted. */
export async function deleteOlder(destination: Destination, keep: number): Promise<string | null> {
  try {
    for (const name of olderOnes(await destination.list(), keep)) await destination.remove(name);
    return null;
  } catch (error) {
    const reason = messageIn(error);
    return `Older backups were not deleted: ${reason}`;
  }
}

/** A backup comes before its notes. */
export function olderOnes(names: readonly string[], keep: number): string[] {
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
