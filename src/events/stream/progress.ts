// Tells open pages that a job has got on, or that a job elsewhere begins or ends for a host, without saying how far: the
// page asks for itself again. These are no change sets, and are announced to nobody else: all instances look at them each
// second while pages are open.
import { sql } from "drizzle-orm";
import { keepDoing } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { mayKnowHost, visibilityOf } from "../../auth/visibility.ts";
import { type EventStream, encodeChunk } from "../../http/event_stream.ts";
import { longs } from "../../input/keys.ts";
import { MOST_TRIGGER_HOSTS } from "../../input/limits.ts";
import { type JobState, onStatus, recentStates } from "../../jobs/jobs.ts";
import { areChecked } from "./checks.ts";

/** Milliseconds. The progress of a job is sent as often, its end also between two looks. */
const LOOK_INTERVAL = 1_000;
/** Of one event: as many as a job elsewhere has. Where there are more, all pages ask again. */
const MOST_HOSTS = MOST_TRIGGER_HOSTS;

/** The word of each page. */
export const ALL_PAGES = "*";

/** By the words of data-live: see pages/records/live.tsx. Without an id: a reader continues after the last change set. */
export function againText(words: string[]): string {
  return `event: again\ndata: ${JSON.stringify({ words })}\n\n`;
}

interface Follower {
  caller: Caller;
  stream: EventStream;
}

const followers = new Set<Follower>();
/** What the last look found. */
let knownJobs = new Map<number, JobState>();
let knownRuns = new Map<number, RunState>();
let endLooks: (() => void) | undefined;

/** Until the returned function is called. */
export function followProgress(caller: Caller, stream: EventStream): () => void {
  const follower = { caller, stream };
  followers.add(follower);
  endLooks ??= beginLooks();
  return () => {
    followers.delete(follower);
    if (followers.size > 0) return;
    endLooks?.();
    endLooks = undefined;
    knownJobs = new Map();
    knownRuns = new Map();
  };
}

function beginLooks(): () => void {
  const looking = keepDoing("Progress could not be read for open pages", look, {
    every: LOOK_INTERVAL,
  });
  const endListening = onStatus(looking.wake);
  return () => {
    void looking.stop();
    endListening();
  };
}

async function look(): Promise<void> {
  if (followers.size === 0) return;
  const [jobs, runs] = await Promise.all([
    recentStates(openIn(knownJobs)),
    recentRuns(openIn(knownRuns)),
  ]);
  const words = await wordsOfHosts(changedIn(runs, knownRuns));
  // The next look tries again.
  if (!(await areChecked())) return;
  for (const job of changedIn(jobs, knownJobs)) announceJob(job);
  announceHosts(words);
  knownJobs = new Map(jobs.map((job) => [job.id, job]));
  knownRuns = new Map(runs.map((run) => [run.id, run]));
}

type State = Pick<JobState, "id" | "is_open" | "state">;

function openIn(known: Map<number, State>): number[] {
  return [...known.values()].flatMap(({ id, is_open }) => (is_open ? [id] : []));
}

function changedIn<Found extends State>(found: Found[], known: Map<number, State>): Found[] {
  return found.filter(({ id, state }) => known.get(id)?.state !== state);
}

/** To those who may see it: see visibleTo in jobs.ts. */
function announceJob({ id, user_id }: JobState): void {
  const event = encodeChunk(`event: job\ndata: ${JSON.stringify({ id })}\n\n`);
  for (const { caller, stream } of followers) {
    if (caller.id === user_id || isAdmin(caller)) stream.send(event);
  }
}

/** By visibility, what the pages of the hosts of these runs call themselves: see pages/records/live.tsx. */
async function wordsOfHosts(runs: RunState[]): Promise<Map<string, string[]>> {
  const words = new Map<string, string[]>();
  if (runs.length === 0) return words;
  const ids = runs.map(({ id }) => id);
  for (const { caller } of [...followers]) {
    const key = visibilityOf(caller);
    if (words.has(key)) continue;
    const hosts = await hostsShowing(caller, ids, MOST_HOSTS + 1);
    words.set(key, hosts.length > MOST_HOSTS ? [ALL_PAGES] : hosts.map((id) => `hosts:${id}`));
  }
  return words;
}

function announceHosts(words: Map<string, string[]>): void {
  for (const { caller, stream } of followers) {
    const own = words.get(visibilityOf(caller)) ?? [];
    if (own.length > 0) stream.send(encodeChunk(againText(own)));
  }
}

interface RunState {
  id: number;
  is_open: boolean;
  /** Another text when the page of a host shows something else of it. */
  state: string;
}

/** A quick run is found after its end among so many that were made last. No index has the time of the end. */
const NEWEST = 100;

/** The runs that have not ended, those of the newest ones that ended a minute ago or less, and those with these ids. */
function recentRuns(ids: number[]): Promise<RunState[]> {
  return database.rows<RunState>(sql`
    select id::float8 as id, finished_at is null as is_open,
      concat_ws(' ', status, url, exists (
        select from trigger_results where run_id = trigger_runs.id)) as state
    from trigger_runs
    where status in ('waiting', 'launching', 'started') or id = any(${longs(ids)})
      or id = any(array(select id from trigger_runs order by id desc limit ${NEWEST}))
        and finished_at > now() - interval '1 minute'`);
}

/** The hosts whose pages show one of these runs, as far as the caller sees them. */
async function hostsShowing(caller: Caller, runs: number[], most: number): Promise<number[]> {
  const found = await database.rows<{ id: number }>(sql`
    select distinct hosts.id from trigger_results join hosts on hosts.id = trigger_results.host_id
    where run_id = any(${longs(runs)}) and ${mayKnowHost(caller, sql`hosts.id`)} limit ${most}`);
  return found.map(({ id }) => id);
}
