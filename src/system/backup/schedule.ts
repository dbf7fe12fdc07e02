// Makes backups at intervals. Every process looks whether one is due; the claim in the database lets one of them make it.
import type { DatabaseTarget } from "../../../db/connect.ts";
import { pause } from "../../../db/pause.ts";
import type { BackupSettings, S3Settings } from "../../config.ts";
import * as log from "../../monitoring/log.ts";
import { CannotClaim } from "./failed.ts";
import { type BackupOutcome, makeBackup } from "./make.ts";

const CHECK_INTERVAL = 30_000;

export interface Schedule {
  /** All are kept if `keep` is undefined. */
  settings: Omit<BackupSettings, "keep"> & { keep: number | undefined };
  s3: S3Settings;
}

/** Returns a function that stops it: a backup that is under way is given up, and leaves nothing. */
export function start(target: DatabaseTarget, { settings, s3 }: Schedule): () => Promise<void> {
  const ending = new AbortController();
  const { to, keep, every } = settings;
  const loop = async () => {
    while (!ending.signal.aborted) {
      await makeBackup(target, { to, keep, every, s3 }, ending.signal).then(logOutcome, (error) => {
        if (!ending.signal.aborted) logFailure(error, to);
      });
      await pause(CHECK_INTERVAL, ending.signal);
    }
  };
  const looping = loop();
  return async () => {
    ending.abort(new Error("Cadastre ends"));
    await looping;
  };
}

function logOutcome(outcome: BackupOutcome | null): void {
  if (!outcome) return;
  const { file, rows, bytes, unproven, kept } = outcome;
  if (unproven === null) log.info("Backed up, and proven by a restore", { file, rows, bytes });
  else log.warn("Backed up, but not proven", { file, rows, bytes, reason: unproven });
  if (kept !== null) log.warn(kept);
}

/** Without the database it asks again soon. */
function logFailure(error: unknown, to: string): void {
  if (error instanceof CannotClaim) log.warn("No backup can begin now", { reason: error.message });
  else log.error("The backup failed", error, { to });
}
