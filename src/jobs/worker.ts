// Runs jobs, one at a time in each process. A worker holds a lease on its job and renews it; when the
// worker dies, the lease expires and another worker takes the job. The number of the attempt identifies
// the worker: updates of an earlier attempt are ignored.
import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { keepDoing } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { inTurn } from "../../db/in_turn.ts";
import { jobs as table } from "../../db/tables/jobs.ts";
import type { Caller } from "../auth/auth.ts";
import { ownerCaller } from "../auth/owner.ts";
import { Refusal } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import * as log from "../monitoring/log.ts";
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

/** Thrown by `report` when the lease is lost or the process stops. */
class Stopped extends Error {}

const NOW = sql`now()`;
const LEASE = sql`now() + interval '30 seconds'`;
const RENEWAL_INTERVAL = 10_000;
const REPORT_INTERVAL = 500;
const POLL_INTERVAL = 1_000;
const MAX_ATTEMPTS = 3;

export interface Worker {
  /** Puts the running job back, so that another instance can take it at once. */
  stop(): Promise<void>;
}

export function start(kinds: readonly JobKind[]): Worker {
  const ending = new AbortController();
  const working = keepDoing("The job worker was interrupted", () => work(kinds, ending.signal), {
    every: POLL_INTERVAL,
  });
  jobs.onRequest(working.wake);
  working.wake();
  return {
    stop: async () => {
      ending.abort();
      await working.stop();
    },
  };
}

/** Until there is no job. */
async function work(kinds: readonly JobKind[], ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const job = await inTurn(() => claim(kinds));
    const kind = kinds.find(({ name }) => name === job?.name);
    if (!job || !kind) return;
    await perform(job, kind, ending);
  }
}

interface ClaimedJob {
  id: number;
  name: string;
  attempt: number;
  arguments: Record<string, unknown>;
  user_id: number;
}

async function claim(kinds: readonly JobKind[]): Promise<ClaimedJob | undefined> {
  await failAbandoned();
  const names = kinds.map(({ name }) => name);
  // In SQL: the claim is an update of a locked subquery with skip locked.
  const [job] = await database.execute<ClaimedJob>(sql`
    update jobs set status = 'started', attempts = attempts + 1, lease_until = ${LEASE}, progress = 0,
      message = case when attempts = 0 then 'Begins' else 'Begins again, after an interruption' end
    where id = (
      select id from jobs where name = any(${sql.param(names)}::text[])
        and (status = 'queued' or status = 'started' and lease_until < now())
      order by id limit 1 for update skip locked
    )
    returning id, name, attempts::int as attempt, arguments, user_id`);
  if (job) jobs.announceStatus();
  return job;
}

/** A job that has crashed three workers would crash the next one. */
async function failAbandoned(): Promise<void> {
  await database.execute(
    database.build
      .update(table)
      .set({
        status: "failed",
        lease_until: null,
        finished_at: NOW,
        message: `It was interrupted ${MAX_ATTEMPTS} times; start it again`,
      })
      .where(
        and(
          eq(table.status, "started"),
          lt(table.lease_until, NOW),
          gte(table.attempts, MAX_ATTEMPTS),
        ),
      ),
  );
}

async function perform(job: ClaimedJob, kind: JobKind, ending: AbortSignal): Promise<void> {
  const lease = keepLease(job, ending);
  try {
    const caller = await ownerOf(job);
    const outcome = await kind.run({ ...job, caller, report: lease.report });
    await finish(job, outcome);
  } catch (error) {
    // The result is unknown. The lease expires, and the job runs again.
    if (error instanceof DatabaseUnavailable) throw error;
    if (error instanceof Stopped) await (ending.aborted ? putBack(job) : undefined);
    else await fail(job, error);
  } finally {
    await lease.letGo();
  }
}

/** Renews the lease and stores the progress. */
function keepLease(job: ClaimedJob, ending: AbortSignal) {
  let now = { progress: 0, message: "" };
  let reported = now;
  let renewed = performance.now();
  let isLost = false;

  async function renew(): Promise<void> {
    if (now === reported && performance.now() - renewed < RENEWAL_INTERVAL) return;
    reported = now;
    renewed = performance.now();
    const { progress, message } = reported;
    const state = message ? { progress, message } : {};
    if (!(await update(job, { lease_until: LEASE, ...state }))) isLost = true;
  }

  const renewing = keepDoing("The lease of a job was not renewed", renew, {
    every: REPORT_INTERVAL,
  });
  return {
    report: (progress: number, message: string) => {
      if (isLost || ending.aborted) throw new Stopped();
      now = { progress, message };
    },
    letGo: renewing.stop,
  };
}

async function finish(job: ClaimedJob, { result, message, hosts }: JobResult): Promise<void> {
  // The permissions of the owner may have changed while the file was written.
  if (!(await jobs.mayKnow(await ownerOf(job), hosts))) {
    throw new Refusal(403, "Your permissions have changed; start it again");
  }
  await update(job, {
    status: "finished",
    progress: 100,
    message,
    result,
    finished_at: NOW,
    lease_until: null,
    hosts: integers(hosts),
  });
}

async function fail(job: ClaimedJob, error: unknown): Promise<void> {
  const isRefusal = error instanceof Refusal;
  if (!isRefusal) log.error("A job failed", error, { job: job.id, name: job.name });
  const message = isRefusal
    ? error.message
    : `Internal error; the log has the details under job ${job.id}`;
  await update(job, { status: "failed", message, finished_at: NOW, lease_until: null });
}

async function putBack(job: ClaimedJob): Promise<void> {
  await update(job, {
    status: "queued",
    attempts: sql`${table.attempts} - 1`,
    progress: 0,
    message: jobs.WAITING,
    lease_until: null,
  });
}

/** Updates the job if this attempt still holds it. */
async function update(job: ClaimedJob, changes: PgUpdateSetSource<typeof table>): Promise<boolean> {
  const isClaimed = and(
    eq(table.id, job.id),
    eq(table.attempts, job.attempt),
    eq(table.status, "started"),
  );
  const changed = await database.execute(
    database.build.update(table).set(changes).where(isClaimed).returning({ id: table.id }),
  );
  if (changes.status) jobs.announceStatus();
  return changed.length > 0;
}

/** The owner with their present groups. */
async function ownerOf({ user_id }: ClaimedJob): Promise<Caller> {
  const owner = await ownerCaller(user_id);
  if (!owner) throw new Refusal(403, "Its owner is no longer a user");
  return owner;
}
