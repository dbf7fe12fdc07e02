// Background jobs: work that takes longer than a request. A job is stored in the database and run by any
// instance; if that one dies, another runs it again.

import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { jobs } from "../../db/tables/jobs.ts";
import { type Caller, isAdmin, seesAll } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import { notFound, tooMany } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import { write } from "../store/write.ts";

export const WAITING = "Waiting for other jobs";

export interface Job {
  id: number;
  name: string;
  status: "queued" | "started" | "finished" | "failed";
  /** Per cent. */
  progress: number;
  message: string | null;
  /** The name of the file that it has created. */
  result: string | null;
}

/** The name of a kind of job, and its arguments. */
interface JobRequest {
  name: string;
  arguments: Record<string, unknown>;
}

/** The job that backs up at the request of an admin. */
export const BACKUP = "Backup";
export const MAX_WAITING = 3;

/** Returns the same job while it waits or runs, else a new one; refuses too many waiting jobs. */
export async function request(caller: Caller, job: JobRequest): Promise<Job> {
  const json = JSON.stringify(job.arguments);
  const id = await write(caller, async (tx) => {
    // Serialises the requests of one user, so that two clicks create one job.
    await advisoryLock(tx, `jobs of ${caller.id}`);
    const unfinished = await tx.execute<{ id: number; status: string; same: boolean }>(sql`
      select id, status, name = ${job.name} and arguments = ${json}::text::jsonb as same
      from jobs where user_id = ${caller.id} and status in ('queued', 'started') order by id`);
    const same = unfinished.find((one) => one.same);
    if (same) return same.id;
    if (unfinished.filter(({ status }) => status === "queued").length >= MAX_WAITING)
      throw tooMany(
        10,
        `You have ${MAX_WAITING} queued jobs; start this one when they are finished`,
      );
    const [created] = await tx
      .insert(jobs)
      .values({
        user_id: sql`${caller.id}`,
        name: job.name,
        arguments: sql`${json}::text::jsonb`,
        message: WAITING,
      })
      .returning({ id: jobs.id });
    return created?.id ?? 0;
  });
  wakeWorker();
  return find(caller, id);
}

/** A job is visible to its owner and to admins. */
export async function find(caller: Caller, id: number): Promise<Job> {
  const { name, status, progress, message, result } = jobs;
  const job = await database.row(
    database.build
      .select({ id: jobs.id, name, status, progress, message, result })
      .from(jobs)
      .where(and(eq(jobs.id, id), visibleTo(caller))),
  );
  if (!job) throw notFound();
  return job;
}

/** The condition for the jobs that the caller may see. */
export function visibleTo(caller: Caller): SQL {
  return isAdmin(caller) ? sql`true` : sql`jobs.user_id = ${caller.id}`;
}

export interface JobState {
  id: number;
  user_id: number;
  is_open: boolean;
  /** Another text after each step. */
  state: string;
}

/** The jobs that wait or run, that ended a minute ago or less, and those with these ids. */
export function recentStates(ids: number[]): Promise<JobState[]> {
  return database.rows<JobState>(sql`
    select id, user_id, status in ('queued', 'started') as is_open,
      concat_ws(' ', status, attempts, progress, message) as state
    from jobs
    where status in ('queued', 'started') or finished_at > now() - interval '1 minute'
      or id = any(${integers(ids)})`);
}

/** Whether all of these hosts are visible to the caller now. */
export async function mayKnow(caller: Caller, hosts: number[]): Promise<boolean> {
  if (seesAll(caller) || hosts.length === 0) return true;
  const hidden = await database.row(sql`
    select 1 from unnest(${integers(hosts)}) host where not ${mayKnowHost(caller, sql`host`)} limit 1`);
  return hidden === undefined;
}

let wakeWorker = (): void => {};

/** Calls the worker when a job is requested in this process: other instances do not notify. Returns a function that ends it. */
export function onRequest(wake: () => void): () => void {
  wakeWorker = wake;
  return () => {
    if (wakeWorker === wake) wakeWorker = () => {};
  };
}

const listeners = new Set<() => void>();

/** Calls the listener when a job begins or ends in this process. Returns a function that ends it. */
export function onStatus(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceStatus(): void {
  for (const listener of listeners) listener();
}
