// Long files are checked and applied by jobs, which tell how far they are. What a job has found is kept with the file.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { formatNumber } from "../input/text.ts";
import * as jobs from "../jobs/jobs.ts";
import type { JobKind, RunningJob } from "../jobs/worker.ts";
import * as files from "./files.ts";
import type { Importer } from "./import.ts";
import { NotApplied } from "./verdicts.ts";

const CHECK = "Check of a file";
const APPLY = "Import of a file";
/** Rows up to which a request does it itself. */
const SHORT = 1_000;

export function isLong({ rows }: Pick<files.ImportFile, "rows">): boolean {
  return rows.length > SHORT;
}

export function importJobs(importers: readonly Importer[]): JobKind[] {
  const fileOf = async ({ caller, arguments: { kind, id } }: RunningJob) => {
    const importer = importers.find((one) => one.kind === kind);
    if (!importer) throw new Error(`There is no import of ${kind}`);
    return { importer, file: await files.find(importer, caller, Number(id)) };
  };
  return [
    {
      name: CHECK,
      run: async (work) => {
        const { importer, file } = await fileOf(work);
        const report = reportOf(work, file, "Checked");
        const verdicts = await importer.check(work.caller, file.rows, report);
        await files.keepVerdicts(importer, work.caller, file, verdicts);
        return {
          result: null,
          message: `Checked ${formatNumber(verdicts.length)} rows`,
          hosts: [],
        };
      },
    },
    {
      name: APPLY,
      run: async (work) => {
        const { importer, file } = await fileOf(work);
        const { mode, state, seen } = work.arguments as Pick<
          files.Review,
          "mode" | "state" | "seen"
        >;
        const report = reportOf(work, file, "Applied");
        try {
          await files.apply(importer, work.caller, file.id, { mode, state, seen, report });
        } catch (refusal) {
          // The preview shows what has changed.
          if (refusal instanceof NotApplied)
            await files.keepVerdicts(importer, work.caller, file, refusal.verdicts);
          throw refusal;
        }
        return { result: null, message: "Applied", hosts: [] };
      },
    },
  ];
}

function reportOf({ report }: RunningJob, { rows }: files.ImportFile, done: string) {
  const all = formatNumber(rows.length);
  return (count: number) =>
    report(
      Math.floor((count / rows.length) * 100),
      `${done} ${formatNumber(count)} of ${all} rows`,
    );
}

export function requestCheck(
  { kind }: Importer,
  caller: Caller,
  { id, state }: Pick<files.ImportFile, "id" | "state">,
): Promise<jobs.Job> {
  return jobs.request(caller, { name: CHECK, arguments: { kind, id, state } });
}

export function requestApply(
  { kind }: Importer,
  caller: Caller,
  id: number,
  review: files.Review,
): Promise<jobs.Job> {
  return jobs.request(caller, { name: APPLY, arguments: { kind, id, ...review } });
}

/** The last job for a file. */
export function jobOf(
  { kind }: Importer,
  caller: Caller,
  { id }: Pick<files.ImportFile, "id">,
): Promise<jobs.Job | undefined> {
  return database.row<jobs.Job>(sql`
    select id, name, status, progress, message, result from jobs
    where user_id = ${caller.id} and name in (${CHECK}, ${APPLY})
      and arguments ->> 'kind' = ${kind} and arguments ->> 'id' = ${String(id)}
    order by id desc limit 1`);
}
