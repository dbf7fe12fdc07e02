// Tells open pages that a job has got on, without saying how far: the page of the job asks for itself again. Jobs are no
// change sets, and are announced to nobody else: all instances look at them each second while pages are open.
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { type EventStream, encodeChunk } from "../../http/event_stream.ts";
import { type JobState, onStatus, recentStates } from "../../jobs/jobs.ts";
import { areChecked } from "./checks.ts";
import { report } from "./hub.ts";

/** Milliseconds. The progress of a job is sent as often, its end also between two looks. */
const LOOK_INTERVAL = 1_000;

interface Follower {
  caller: Caller;
  stream: EventStream;
}

const followers = new Set<Follower>();
/** What the last look found. */
let known = new Map<number, JobState>();
let endLooks: (() => void) | undefined;

/** Until the returned function is called. */
export function followJobs(caller: Caller, stream: EventStream): () => void {
  const follower = { caller, stream };
  followers.add(follower);
  endLooks ??= beginLooks();
  return () => {
    followers.delete(follower);
    if (followers.size > 0) return;
    endLooks?.();
    endLooks = undefined;
    known = new Map();
  };
}

function beginLooks(): () => void {
  const timer = setInterval(lookForProgress, LOOK_INTERVAL);
  const endListening = onStatus(lookForProgress);
  return () => {
    clearInterval(timer);
    endListening();
  };
}

let isLooking = false;
let hasNews = false;

function lookForProgress(): void {
  hasNews = true;
  if (isLooking) return;
  look().catch(report);
}

async function look(): Promise<void> {
  isLooking = true;
  try {
    while (hasNews && followers.size > 0) {
      hasNews = false;
      const unfinished = [...known.values()].filter(({ is_open }) => is_open);
      const found = await recentStates(unfinished.map(({ id }) => id));
      // The next look tries again.
      if (!(await areChecked())) return;
      for (const job of found) if (known.get(job.id)?.state !== job.state) announce(job);
      known = new Map(found.map((job) => [job.id, job]));
    }
  } finally {
    isLooking = false;
  }
}

/** To those who may see it: see visibleTo in jobs.ts. */
function announce({ id, user_id }: JobState): void {
  const event = encodeChunk(`event: job\ndata: ${JSON.stringify({ id })}\n\n`);
  for (const { caller, stream } of followers) {
    if (caller.id === user_id || isAdmin(caller)) stream.send(event);
  }
}
