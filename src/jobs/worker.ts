// Runs jobs, one at a time in each process: see store/outbox.ts.
import { sql } from "drizzle-orm";
import { keepDoing } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { inTurn } from "../../db/in_turn.ts";
import type { Caller } from "../auth/auth.ts";
import { ownerCaller } from "../auth/owner.ts";
import { Refusal } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import * as log from "../monitoring/log.ts";
import * as outbox from "../store/outbox.ts";
import * as jobs from "./jobs.ts";

/** A kind of job and the function that runs it. */
export interface JobKind {
  name: string;
  run: (work: RunningJob) => Promise<JobResult>;
}

/** The job that this worker runs. */
export interface RunningJob {
  id: number;
  attempt: number;
  caller: Caller;
  arguments: Record<string, unknown>;
  /** Call it often: it stores the progress, and throws once the lease is lost or the process stops. */
  report: (progress: number, message: string) => void;
}

export interface JobResult {
  /** The name of the file, if it made one. */
  result: string | null;
  message: string;
  /** The hosts that the file contains. */
  hosts: number[];
}

const JOBS: outbox.Outbox = {
  table: "jobs",
  isOpen: sql`status in ('queued', 'started')`,
  until: "lease_until",
  holder: "attempts",
  lease: 30,
};
const NOW = sql`now()`;
const REPORT_INTERVAL = 500;
const POLL_INTERVAL = 1_000;
const MAX_ATTEMPTS = 3;

export function start(kinds: readonly JobKind[]): outbox.OutboxWorker {
  return outbox.start({
    outbox: JOBS,
    interrupted: "The job worker was interrupted",
    take: () => inTurn(() => takeJob(kinds)),
    perform: (held) => perform(held, kinds),
    givenBack: {
      status: "queued",
      attempts: sql`attempts - 1`,
      progress: 0,
      message: jobs.WAITING,
      lease_until: null,
    },
    atOnce: 1,
    pace: { every: POLL_INTERVAL },
    wokenBy: jobs.onRequest,
    // It is put back, so that another instance can take it at once.
    patience: 0,
  });
}

async function takeJob(kinds: readonly JobKind[]): Promise<outbox.TakenRow[]> {
  await failAbandoned();
  const names = kinds.map(({ name }) => name);
  const taken = await outbox.take(JOBS, {
    where: sql`name = any(${sql.param(names)}::text[])`,
    order: sql`id`,
    set: {
      status: "started",
      progress: 0,
      message: sql`case when attempts = 0 then 'Begins' else 'Begins again, after an interruption' end`,
    },
  });
  if (taken.length > 0) jobs.announceStatus();
  return taken;
}

/** A job that has crashed three workers would crash the next one. */
async function failAbandoned(): Promise<void> {
  await database.execute(sql`
    update jobs set status = 'failed', lease_until = null, finished_at = now(),
      message = ${`It was interrupted ${MAX_ATTEMPTS} times; start it again`}
    where status = 'started' and lease_until < now() and attempts >= ${MAX_ATTEMPTS}`);
}

interface TakenJob {
  name: string;
  arguments: Record<string, unknown>;
  user_id: number;
}

async function perform(held: outbox.HeldRow, kinds: readonly JobKind[]): Promise<void> {
  const { id, holder } = held;
  const job = await database.row<TakenJob>(sql`
    select name, arguments, user_id from jobs where id = ${id}`);
  const kind = kinds.find(({ name }) => name === job?.name);
  if (!job || !kind) return;
  const progress = keepProgress(held);
  try {
    const caller = await ownerOf(job);
    const running = { id, attempt: Number(holder), caller, arguments: job.arguments };
    const done = await kind.run({ ...running, report: progress.report });
    await progress.stop();
    await finish(held, job, done);
  } catch (error) {
    await progress.stop();
    // The result is unknown. The lease expires, and the job runs again.
    if (error instanceof DatabaseUnavailable || error instanceof outbox.Interrupted) throw error;
    await fail(held, job, error);
  } finally {
    jobs.announceStatus();
  }
}

/** Stores what the job reports, now and then. */
function keepProgress(held: outbox.HeldRow) {
  let reported: { progress: number; message: string } | undefined;
  const storing = keepDoing(
    "The progress of a job was not stored",
    async () => {
      const now = reported;
      reported = undefined;
      if (now) await held.change(now);
    },
    { every: REPORT_INTERVAL },
  );
  return {
    report: (progress: number, message: string) => {
      if (held.signal.aborted) throw new outbox.Interrupted();
      reported = { progress, message };
    },
    stop: storing.stop,
  };
}

async function finish(
  held: outbox.HeldRow,
  job: TakenJob,
  { result, message, hosts }: JobResult,
): Promise<void> {
  // The permissions of the owner may have changed while the file was written.
  if (!(await jobs.mayKnow(await ownerOf(job), hosts))) {
    throw new Refusal(403, "Your rights have changed; start it again");
  }
  await held.settle({
    status: "finished",
    progress: 100,
    message,
    result,
    finished_at: NOW,
    lease_until: null,
    hosts: integers(hosts),
  });
}

async function fail(held: outbox.HeldRow, { name }: TakenJob, error: unknown): Promise<void> {
  const { id } = held;
  const isRefusal = error instanceof Refusal;
  if (!isRefusal) log.error("A job failed", error, { job: id, name });
  const message = isRefusal
    ? error.message
    : `Internal error; the log has the details under job ${id}`;
  await held.settle({ status: "failed", message, finished_at: NOW, lease_until: null });
}

/** The owner with their present groups. */
async function ownerOf({ user_id }: TakenJob): Promise<Caller> {
  const owner = await ownerCaller(user_id);
  if (!owner) throw new Refusal(403, "Its owner is no longer a user");
  return owner;
}
