// The background work for triggers, in each instance: rows and their locks decide which one does what.
import { sql } from "drizzle-orm";
import { inBackground, keepDoing } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onCommit } from "../../../db/commits.ts";
import { inTurn } from "../../../db/in_turn.ts";
import { type Gatherer, gather } from "./gather.ts";
import { claimLaunch, claimLook, INTERRUPTED, launchRun, look } from "./launch.ts";

/** Milliseconds between looks at the database; changes are gathered for seconds. */
const LOOK_INTERVAL = 250;
/** Requests of this process at a time. */
const MOST_REQUESTS = 8;
/** Milliseconds that the end of the process waits for requests under way. */
const PATIENCE = 3_000;

export interface TriggerWorker {
  stop(): Promise<void>;
}

export function start(): TriggerWorker {
  const requests = new Set<Promise<void>>();
  let isEnding = false;
  const looking = keepDoing(INTERRUPTED, () => lookOnce(requests, () => isEnding), {
    apart: LOOK_INTERVAL,
  });
  const stopListening = onCommit(looking.wake);
  return {
    stop: async () => {
      isEnding = true;
      stopListening();
      await looking.stop();
      await Promise.race([Promise.all(requests), Bun.sleep(PATIENCE)]);
    },
  };
}

async function lookOnce(requests: Set<Promise<void>>, isEnding: () => boolean): Promise<void> {
  const { gatherers, isDue } = await inTurn(work);
  for (const trigger of gatherers) {
    if (isEnding()) return;
    await inBackground(INTERRUPTED, gather(trigger));
  }
  if (!isDue) return;
  const steps = [
    async () => begin(requests, await claimLaunch(), launchRun),
    async () => begin(requests, await claimLook(), look),
  ];
  for (const step of steps) {
    while (!isEnding() && requests.size < MOST_REQUESTS && (await step()));
  }
}

/** The request is not waited for: a server that does not answer holds up no other trigger. */
function begin<Run>(
  requests: Set<Promise<void>>,
  run: Run | undefined,
  perform: (run: Run) => Promise<void>,
): boolean {
  if (run === undefined) return false;
  const request = inBackground(INTERRUPTED, perform(run)).finally(() => requests.delete(request));
  requests.add(request);
  return true;
}

interface TriggerWork {
  gatherers: Gatherer[];
  isDue: boolean;
}

/** One statement, which reads next to nothing where there is no trigger. */
async function work(): Promise<TriggerWork> {
  const found = await database.row<{ gatherers: string; due: boolean }>(sql`
    select coalesce((
        select json_agg(json_build_object('id', id, 'owner_id', owner_id, 'filters', filters,
          'quiet_seconds', settings -> 'quiet_seconds', 'most_seconds', settings -> 'most_seconds') order by id)
        from subscriptions where kind = 'trigger' and exists (
          select from deliveries where subscription_id = subscriptions.id and status = 'waiting')
      ), '[]')::text as gatherers,
      exists (select from trigger_runs where status in ('waiting', 'launching', 'started') and next_at <= now()) as due`);
  return { gatherers: JSON.parse(found?.gatherers ?? "[]"), isDue: found?.due ?? false };
}
