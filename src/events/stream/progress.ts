// Tells open pages that a job has got on, or that a job elsewhere begins or ends for a host, without saying how far: the
// page asks for itself again. These are no change sets, and are announced to nobody else: all instances look at them each
// second while pages are open.
import { keepDoing } from "../../../db/background.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { visibilityOf } from "../../auth/visibility.ts";
import { type EventStream, encodeChunk } from "../../http/event_stream.ts";
import { MOST_TRIGGER_HOSTS } from "../../input/limits.ts";
import { type JobState, onStatus, recentStates } from "../../jobs/jobs.ts";
import { hostsShowing, type RunState, recentRuns } from "../triggers/host_results.ts";
import { ALL_PAGES, againText } from "./again.ts";
import { areChecked } from "./checks.ts";

/** Milliseconds. The progress of a job is sent as often, its end also between two looks. */
const LOOK_INTERVAL = 1_000;
/** Of one event: as many as a job elsewhere has. Where there are more, all pages ask again. */
const MOST_HOSTS = MOST_TRIGGER_HOSTS;

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
