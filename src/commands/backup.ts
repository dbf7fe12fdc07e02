import { dump } from "../../db/backup/dump.ts";
import { appendSeal, CannotBackUp } from "../../db/backup/format.ts";
import { version } from "../../package.json";
import * as config from "../config.ts";
import * as log from "../monitoring/log.ts";
import { waitForDatabase } from "../start.ts";
import { writeAtomically } from "../system/backup/atomic_file.ts";
import { explainFileErrors } from "../system/backup/directory.ts";
import { type BackupOutcome, fileName, makeBackup, pack } from "../system/backup/make.ts";
import { noteBackup } from "../system/backup/records.ts";
import * as schedule from "../system/backup/schedule.ts";
import { objectReader } from "../system/s3.ts";
import { positionalArguments, readArguments, UsageError } from "./arguments.ts";
import { DATABASE_SETTINGS, printMessage, silent } from "./console.ts";
import { afterUncaught, untilShutdown } from "./shutdown.ts";

export const help = `Writes a consistent backup of the database while the service runs.

Usage: cadastre backup [FILE]
       cadastre backup --to DIR|s3://BUCKET/PREFIX [--keep NUMBER] [--every TIME]

FILE is cadastre-<time>.ndjson.gz if it is not given, and - is standard output. The file is there when it
is complete. It holds hashes of passwords, the signing key and all that is sensitive: keep it as secret as
the database. Sessions are not in it. cadastre restore reads it, of this version or a newer one.

--to     restore the backup into a database of its own on the same server, and compare every table with the
         original; a file that ends in .proof.json says that it is good. The exit code is 1 if it is bad
--keep   then delete a backup when NUMBER newer ones are at least as good
--every  stay, and make one every 30m, 12h, 1d or 1w; cadastre serve does the same with BACKUP_TO

Settings:
${DATABASE_SETTINGS}
  S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_SESSION_TOKEN
                   the server of a bucket, also of one with files, and the key for it`;

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      to: { type: "string" },
      keep: { type: "string" },
      every: { type: "string" },
    },
  });
  const { to, keep, every } = values;
  if (to === undefined) {
    if (keep ?? every) throw new UsageError("--keep and --every need --to");
    return writeOne(positionals);
  }
  positionalArguments(positionals);
  const place = config.backupPlace("--to", to);
  const kept = keep === undefined ? undefined : config.backupsToKeep("--keep", keep);
  if (every === undefined) return proveOne(place, kept);
  await proveForEver({ to: place, keep: kept, every: config.interval("--every", every) });
}

async function writeOne(positionals: string[]): Promise<void> {
  const [file] = positionals.length > 0 ? positionalArguments(positionals, "FILE") : [fileName()];
  const settings = config.readConfig();
  const server = await waitForDatabase(settings, silent);
  const readObject = objectReader(settings.s3);
  const text = appendSeal(dump(server.target, version, { readObject }));
  const write = () => writeAtomically(file, (to) => pack(text, to));
  try {
    await (file === "-"
      ? pack(text, process.stdout)
      : explainFileErrors(file, "cannot be written", write));
    await noteBackup(server.target, file);
  } finally {
    await server.stop();
  }
  printMessage(`Backed up to ${file === "-" ? "standard output" : file}`);
}

async function proveOne(to: string, keep: number | undefined): Promise<void> {
  const settings = config.readConfig();
  const server = await waitForDatabase(settings, silent);
  try {
    const outcome = await makeBackup(server.target, { to, keep, s3: settings.s3 });
    if (!outcome) throw new CannotBackUp("Another process makes a backup of this database now");
    printMessage(messageOf(outcome));
    if (outcome.kept !== null) printMessage(outcome.kept);
  } finally {
    await server.stop();
  }
}

function messageOf({ file, rows, unproven }: BackupOutcome): string {
  if (unproven === null)
    return `Backed up to ${file}, and proven: ${rows} rows restored are the same`;
  return `Backed up to ${file}, but not proven: ${unproven}`;
}

async function proveForEver(settings: schedule.Schedule["settings"]): Promise<void> {
  const found = config.readConfig();
  log.configure(found);
  const server = await waitForDatabase(found, log.progress);
  const stop = schedule.start(server.target, { settings, s3: found.s3 });
  const ending = await untilShutdown();
  await stop();
  await server.stop();
  if (typeof ending === "object") throw afterUncaught(ending.error);
}
