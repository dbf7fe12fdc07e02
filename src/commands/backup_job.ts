// A backup that an admin asks for on a page, as a job.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CannotBackUp } from "../../db/backup/format.ts";
import type { DatabaseTarget } from "../../db/connect.ts";
import type { Config } from "../config.ts";
import { Refusal } from "../input/errors.ts";
import { BACKUP } from "../jobs/jobs.ts";
import type { JobKind } from "../jobs/worker.ts";
import { CannotClaim, DestinationFailed } from "../system/backup/failed.ts";
import { makeBackup } from "../system/backup/make.ts";

/** Where BACKUP_TO says, else beside the data. */
export function backupJob(
  target: DatabaseTarget,
  { backup, s3, dataDir }: Pick<Config, "backup" | "s3" | "dataDir">,
): JobKind {
  return {
    name: BACKUP,
    run: async ({ report }) => {
      const own = join(dataDir, "backups");
      const to = backup?.to ?? own;
      report(0, `Backing up to ${to}`);
      if (to === own) await mkdir(own, { recursive: true, mode: 0o700 });
      const made = await makeBackup(target, { to, keep: backup?.keep, s3 }).catch(explain);
      if (!made) throw new Refusal(503, "Another process makes a backup now");
      const { file, unproven } = made;
      const proof = unproven === null ? "proven by a restore" : `but not proven: ${unproven}`;
      return { result: null, message: `${file} in ${to}, ${proof}`, hosts: [] };
    },
  };
}

function explain(error: unknown): never {
  const known = [CannotBackUp, CannotClaim, DestinationFailed].some((one) => error instanceof one);
  throw known ? new Refusal(503, (error as Error).message) : error;
}
