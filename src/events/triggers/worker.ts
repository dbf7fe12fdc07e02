// The background work for triggers, in each instance: changes are gathered into runs, and runs that are due get their next
// step. See store/outbox.ts.
import { sql } from "drizzle-orm";
import { inBackground } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onCommit } from "../../../db/commits.ts";
import { inTurn } from "../../../db/in_turn.ts";
import * as outbox from "../../store/outbox.ts";
import { type Gatherer, gather } from "./gather.ts";
import { INTERRUPTED, perform, RUNS } from "./launch.ts";

/** Milliseconds between looks at the database; changes are gathered for seconds. */
const LOOK_INTERVAL = 250;
/** Requests of this process at a time: a server that does not answer holds up no other trigger. */
const MOST_REQUESTS = 8;
/** Milliseconds that requests under way have when the process ends. */
const LAST_ANSWERS = 3_000;

export function start(): outbox.OutboxWorker {
  return outbox.start({
    outbox: RUNS,
    interrupted: INTERRUPTED,
    take: takeRuns,
    perform,
    givenBack: { attempts: sql`attempts - 1`, next_at: sql`now()` },
    atOnce: MOST_REQUESTS,
    pace: { apart: LOOK_INTERVAL },
    wokenBy: onCommit,
    patience: LAST_ANSWERS,
  });
}

/** What was committed before a run is due belongs to it, so changes are gathered first. */
async function takeRuns(most: number): Promise<outbox.TakenRow[]> {
  const { gatherers, isDue } = await inTurn(readWork);
  for (const trigger of gatherers) await inBackground(INTERRUPTED, gather(trigger));
  if (!isDue) return [];
  const launches = await takeLaunch();
  return launches.length > 0 ? launches : takeLooks(most);
}

interface TriggerWork {
  gatherers: Gatherer[];
  isDue: boolean;
}

/** One statement, which reads next to nothing where there is no trigger. */
async function readWork(): Promise<TriggerWork> {
  const found = await database.row<{ gatherers: string; due: boolean }>(sql`
    select coalesce((
        select json_agg(json_build_object('id', id, 'owner_id', owner_id, 'filters', filters,
          'quiet_seconds', settings -> 'quiet_seconds', 'most_seconds', settings -> 'most_seconds') order by id)
        from subscriptions where kind = 'trigger' and exists (
          select from deliveries where subscription_id = subscriptions.id and status = 'waiting')
      ), '[]')::text as gatherers,
      exists (select from trigger_runs where ${RUNS.isOpen} and next_at <= now()) as due`);
  return { gatherers: JSON.parse(found?.gatherers ?? "[]"), isDue: found?.due ?? false };
}

/**
 * A run that is due, and no other one of its trigger is being launched; unless the admin chose otherwise, none is under
 * way either. Those that are launched already come first.
 */
const LAUNCHABLE = sql`
  trigger_runs.status in ('waiting', 'launching') and trigger_runs.next_at <= now() and not exists (
    select from trigger_runs other join subscriptions on subscriptions.id = other.subscription_id
    where other.subscription_id = trigger_runs.subscription_id and other.id <> trigger_runs.id and (
      other.status = 'launching' and (trigger_runs.status = 'waiting' or other.id < trigger_runs.id)
      or other.status = 'started' and (settings ->> 'waits_for_end')::boolean))`;

/** The trigger is locked before the run is taken, so that instances do not take two of its runs. */
function takeLaunch(): Promise<outbox.TakenRow[]> {
  return database.transaction(async (tx) => {
    const [found] = await tx.execute<{ id: number }>(sql`
      select trigger_runs.id::float8 as id from trigger_runs join subscriptions on subscriptions.id = subscription_id
      where ${LAUNCHABLE} order by trigger_runs.id limit 1 for no key update of subscriptions skip locked`);
    if (!found) return [];
    return outbox.take(RUNS, {
      where: sql`id = ${found.id} and ${LAUNCHABLE}`,
      order: sql`id`,
      set: { status: "launching" },
      read: tx.execute,
    });
  });
}

/** A look is no launch: it does not count, and its holder is that of the launch. */
function takeLooks(most: number): Promise<outbox.TakenRow[]> {
  const set = { attempts: sql`attempts` };
  return outbox.take(RUNS, { where: sql`status = 'started'`, order: sql`next_at`, most, set });
}
