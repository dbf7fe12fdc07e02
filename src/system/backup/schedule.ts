// Makes backups at intervals. Every process looks whether one is due; the claim in the database lets one of them make it.
import { keepDoing } from "../../../db/background.ts";
import type { DatabaseTarget } from "../../../db/connect.ts";
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
  const back = async () => {
    try {
      logOutcome(await makeBackup(target, { to, keep, every, s3 }, ending.signal));
    } catch (error) {
      if (ending.signal.aborted) return;
      if (!(error instanceof CannotClaim)) throw error;
      // Without the database it asks again soon.
      log.warn("No backup can begin now", { reason: error.message });
    }
  };
  const making = keepDoing("The backup failed", back, { every: CHECK_INTERVAL });
  making.wake();
  return () => {
    ending.abort(new Error("Cadastre ends"));
    return making.stop();
  };
}

function logOutcome(outcome: BackupOutcome | null): void {
  if (!outcome) return;
  const { file, rows, bytes, unproven, kept } = outcome;
  if (unproven === null) log.info("Backed up, and proven by a restore", { file, rows, bytes });
  else log.warn("Backed up, but not proven", { file, rows, bytes, reason: unproven });
  if (kept !== null) log.warn(kept);
}
