// Takes jobs and does them, one at a time in each process. A job in hand is held by a lease: whoever
// dies stops renewing it, and somebody else takes the job up. The number of the attempt tells one
// holder from the next; nothing that an earlier one says counts any more.
import { and, eq, gte, isNull, lt, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { jobs as table } from "../../db/tables/jobs.ts";
import { users } from "../../db/tables/user.ts";
import type { Caller, Group } from "../auth/auth.ts";
import { Refusal } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import * as log from "../monitoring/log.ts";
import * as jobs from "./jobs.ts";

/** A kind of job, by the name under which it is asked for. */
export interface Kind {
  name: string;
  run: (work: Work) => Promise<Outcome>;
}

/** A job in hand. */
export interface Work {
  id: number;
  attempt: number;
  caller: Caller;
  arguments: Record<string, unknown>;
  /** To be called often: tells how far it is, and throws once the job is no longer in hand. */
  report: (progress: number, message: string) => void;
}

export interface Outcome {
  /** The name of the file. */
  result: string;
  message: string;
  /** The hosts of which it tells. */
  hosts: number[];
}

/** Thrown through the work when its job is not in hand any more, or the process ends. */
class Stopped extends Error {}

const NOW = sql`now()`;
const LEASE = sql`now() + interval '30 seconds'`;
const RENEWAL = 10_000;
const GLANCE = 500;
const PATIENCE = 1_000;
const MOST_ATTEMPTS = 3;

export interface Worker {
  /** Puts the job in hand back, for another instance to take at once. */
  stop(): Promise<void>;
}

export function start(kinds: readonly Kind[]): Worker {
  const ending = new AbortController();
  const working = keepWorking(kinds, ending.signal);
  return {
    stop: async () => {
      ending.abort();
      jobs.wake();
      await working;
    },
  };
}

async function keepWorking(kinds: readonly Kind[], ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const job = await claim(kinds).catch(noteQuietly);
    const kind = kinds.find(({ name }) => name === job?.name);
    if (job && kind) await perform(job, kind, ending).catch(noteQuietly);
    else await jobs.nextJob(PATIENCE);
  }
}

interface Claimed {
  id: number;
  name: string;
  attempt: number;
  arguments: Record<string, unknown>;
  user_id: number;
}

async function claim(kinds: readonly Kind[]): Promise<Claimed | undefined> {
  await giveUp();
  const names = kinds.map(({ name }) => name);
  // In SQL: the claim is an update of a locked subquery with skip locked.
  const [job] = await database.change<Claimed>(sql`
    update jobs set status = 'started', attempts = attempts + 1, lease_until = ${LEASE}, progress = 0,
      message = case when attempts = 0 then 'Begins' else 'Begins again, after an interruption' end
    where id = (
      select id from jobs where name = any(${sql.param(names)}::text[])
        and (status = 'queued' or status = 'started' and lease_until < now())
      order by id limit 1 for update skip locked
    )
    returning id, name, attempts::int as attempt, arguments, user_id`);
  return job;
}

/** What has brought down three workers would bring down the next. */
async function giveUp(): Promise<void> {
  await database.change(
    database.build
      .update(table)
      .set({
        status: "failed",
        lease_until: null,
        finished_at: NOW,
        message: `It was interrupted ${MOST_ATTEMPTS} times; start it again`,
      })
      .where(
        and(
          eq(table.status, "started"),
          lt(table.lease_until, NOW),
          gte(table.attempts, MOST_ATTEMPTS),
        ),
      ),
  );
}

async function perform(job: Claimed, kind: Kind, ending: AbortSignal): Promise<void> {
  const lease = hold(job, ending);
  try {
    const caller = await ownerOf(job);
    const outcome = await kind.run({ ...job, caller, report: lease.report });
    await finish(job, outcome);
  } catch (fault) {
    // The result is unknown. The lease runs out, and the job is taken up again.
    if (fault instanceof DatabaseUnavailable) noteQuietly(fault);
    else if (fault instanceof Stopped) await (ending.aborted ? putBack(job) : undefined);
    else await fail(job, fault);
  } finally {
    lease.letGo();
  }
}

/** Renews the lease, and says on the way how far the work is. */
function hold(job: Claimed, ending: AbortSignal) {
  let now = { progress: 0, message: "" };
  let reported = now;
  let renewed = performance.now();
  let isLost = false;
  let isRenewing = false;

  async function renew(): Promise<void> {
    if (isRenewing || (now === reported && performance.now() - renewed < RENEWAL)) return;
    isRenewing = true;
    reported = now;
    renewed = performance.now();
    const { progress, message } = reported;
    const said = message ? { progress, message } : {};
    const kept = await update(job, { lease_until: LEASE, ...said }).catch(noteQuietly);
    if (kept === false) isLost = true;
    isRenewing = false;
  }

  const timer = setInterval(renew, GLANCE);
  return {
    report: (progress: number, message: string) => {
      if (isLost || ending.aborted) throw new Stopped();
      now = { progress, message };
    },
    letGo: () => clearInterval(timer),
  };
}

async function finish(job: Claimed, { result, message, hosts }: Outcome): Promise<void> {
  // What the owner may see may have changed while we wrote it down.
  if (!(await jobs.mayKnow(await ownerOf(job), hosts))) {
    throw new Refusal(403, "What you may see has changed meanwhile; start it again");
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

async function fail(job: Claimed, fault: unknown): Promise<void> {
  const isMeant = fault instanceof Refusal;
  if (!isMeant) log.error("A job failed", fault, { job: job.id, name: job.name });
  const message = isMeant
    ? fault.message
    : `Something went wrong on our side; it is noted under job ${job.id}`;
  await update(job, { status: "failed", message, finished_at: NOW, lease_until: null });
}

async function putBack(job: Claimed): Promise<void> {
  await update(job, {
    status: "queued",
    attempts: sql`${table.attempts} - 1`,
    progress: 0,
    message: "Waits for its turn",
    lease_until: null,
  });
}

/** Changes the job, if it is still in hand. */
async function update(job: Claimed, changes: PgUpdateSetSource<typeof table>): Promise<boolean> {
  const isInHand = and(
    eq(table.id, job.id),
    eq(table.attempts, job.attempt),
    eq(table.status, "started"),
  );
  const changed = await database.change(
    database.build.update(table).set(changes).where(isInHand).returning({ id: table.id }),
  );
  return changed.length > 0;
}

/** As they are now: groups come and go. */
async function ownerOf({ user_id }: Claimed): Promise<Caller> {
  const owner = await database.row(
    database.build
      .select({ username: users.username, groups: users.groups })
      .from(users)
      .where(and(eq(users.id, user_id), isNull(users.deactivated_at))),
  );
  if (!owner) throw new Refusal(403, "Its owner is not a user any more");
  return {
    id: user_id,
    username: owner.username,
    groups: owner.groups as Group[],
    read_only: true,
  };
}

function noteQuietly(fault: unknown): undefined {
  log.warn("The job worker was interrupted", { error: String(fault) });
}
