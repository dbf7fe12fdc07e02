// The last good backup in /metrics, as of the last look at the database.
import { keepDoing, type Loop } from "../../../db/background.ts";
import * as metrics from "../../monitoring/metrics.ts";
import { type BackupState, backupState } from "./records.ts";

const LOOK_INTERVAL = 30_000;
const HOUR = 3_600;

export function start(every: number | undefined): Loop {
  let state: BackupState = { last: undefined, good: undefined, written: undefined };
  let seen = performance.now();
  const look = async () => {
    state = await backupState();
    seen = performance.now();
  };
  metrics.setGauges(() =>
    gaugesOf(state, { every, secondsAgo: (performance.now() - seen) / 1_000 }),
  );
  const looking = keepDoing("The state of the backups is not known", look, {
    every: LOOK_INTERVAL,
  });
  looking.wake();
  return looking;
}

function gaugesOf(
  { last, good }: BackupState,
  { every, secondsAgo }: { every: number | undefined; secondsAgo: number },
): metrics.Gauge[] {
  const age = good && good.age * HOUR + secondsAgo;
  return [
    {
      name: "cadastre_backup_age_seconds",
      help: "Time since the last backup that was proven by a restore began",
      value: age,
    },
    {
      name: "cadastre_backup_last_success_timestamp_seconds",
      help: "When the last backup that was proven by a restore began",
      value: age === undefined ? undefined : Date.now() / 1_000 - age,
    },
    {
      name: "cadastre_backup_last_attempt_good",
      help: "1 if the last attempt made a backup that was proven by a restore, else 0",
      value: last && (last.result === "good" ? 1 : 0),
    },
    {
      name: "cadastre_backup_interval_seconds",
      help: "BACKUP_EVERY",
      value: every,
    },
  ];
}
