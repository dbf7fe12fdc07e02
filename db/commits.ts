// Announces commits of change sets, in this process and to all others on the same database. It is a hint: listeners look
// at the database themselves, and are called each second anyway, because announcements may be lost, and some databases
// pass none on (a replica, PgBouncer).
//
// Others learn of it by NOTIFY, after the commit and not in its transaction: PostgreSQL lets only one transaction with a
// NOTIFY commit at a time.
import type { SQL } from "bun";
import { sql } from "drizzle-orm";
import { keepDoing, type Loop } from "./background.ts";
import * as database from "./client.ts";
import { connect, type DatabaseTarget } from "./connect.ts";
import { onClose, openTarget } from "./on_open.ts";

/** Milliseconds. */
const LOOK_INTERVAL = 1_000;
/** Milliseconds between two announcements of this process to others; the commits between them share the next one. */
const NOTIFY_INTERVAL = 50;
/** Milliseconds between two questions whether others listen. Most installations are one process, which has no others. */
const ASK_INTERVAL = 5_000;
/** Milliseconds to the next attempt to listen, doubled after each that hears nothing: PgBouncer passes nothing on. */
const [SHORTEST_RETRY, LONGEST_RETRY] = [10_000, 600_000];
/** Milliseconds after which an announcement must have come back: a firewall may have dropped the connection. */
const LONGEST_ECHO = 5_000;
/** Milliseconds after which an idle process announces nothing new, to keep the connection and to see that it works. */
const LONGEST_SILENCE = 30_000;
const CHANNEL = "cadastre_commits";
/** In the announcements of this process, which it needs not hear of. */
const OWN = crypto.randomUUID();
const LISTENER = "cadastre listen";
const OWN_LISTENER = `${LISTENER} ${OWN.slice(0, 8)}`;
const SETTINGS = { application_name: OWN_LISTENER, timezone: "UTC" };

const listeners = new Set<() => void>();
let looking: Loop | undefined;

/** Calls the listener after each commit of a change set, and each second. Returns a function that ends it. */
export function onCommit(listener: () => void): () => void {
  listeners.add(listener);
  looking ??= keepDoing("Commits are not looked for", look, { every: LOOK_INTERVAL });
  keepListening();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    void looking?.stop();
    looking = undefined;
    endListening();
  };
}

/** Called after each commit of a change set in this process. */
export function announceCommit(): void {
  callListeners();
  notifyOthers();
}

function look(): void {
  keepListening();
  callListeners();
}

function callListeners(): void {
  for (const listener of listeners) listener();
}

// To others -------------------------------------------------------------------------------------------

/** Set for a while after an announcement. */
let pause: ReturnType<typeof setTimeout> | undefined;
let isDue = false;
let lastSent = Number.NEGATIVE_INFINITY;
/** Whether other processes listen, and when it was asked. */
let haveOthers = false;
let lastAsked = Number.NEGATIVE_INFINITY;

/** At once, or together with those of the next moment. If it fails, others find the commits by their look each second. */
function notifyOthers(): void {
  isDue = true;
  if (pause !== undefined) return;
  isDue = false;
  pause = setTimeout(() => {
    pause = undefined;
    if (isDue) notifyOthers();
  }, NOTIFY_INTERVAL);
  pause.unref();
  notifyIfHeard().catch(() => {});
}

async function notifyIfHeard(): Promise<void> {
  if (performance.now() - lastAsked > ASK_INTERVAL) {
    lastAsked = performance.now();
    const others = await database.row(sql`
      select from pg_stat_activity
      where application_name like ${`${LISTENER}%`} and application_name <> ${OWN_LISTENER}
        and datname = current_database() limit 1`);
    haveOthers = others !== undefined;
  }
  if (haveOthers) await send();
}

async function send(): Promise<void> {
  lastSent = performance.now();
  if (listening) listening.unheardSince ??= lastSent;
  await database.execute(sql`select pg_notify(${CHANNEL}, ${OWN})`);
}

// From others -----------------------------------------------------------------------------------------

interface Listening {
  target: DatabaseTarget;
  using: SQL;
  /** When the oldest announcement of this process was sent that has not come back. */
  unheardSince: number | undefined;
}

let listening: Listening | undefined;
let nextAttempt = 0;
let retryAfter = SHORTEST_RETRY;

onClose(endListening);

/** The next attempt does not have to wait. */
function endListening(): void {
  stopListening();
  nextAttempt = 0;
}

/** Listens at the database that is open; again if another one was opened, or if announcements do not arrive any more. */
function keepListening(): void {
  const now = performance.now();
  const target = openTarget();
  if (listening && listening.target !== target) endListening();
  if (now - (listening?.unheardSince ?? now) > LONGEST_ECHO) stopListening();
  if (listening && now - lastSent > LONGEST_SILENCE) send().catch(() => {});
  if (listening || !target || now < nextAttempt) return;
  nextAttempt = now + retryAfter;
  retryAfter = Math.min(2 * retryAfter, LONGEST_RETRY);
  listening = listen(target);
}

function listen(target: DatabaseTarget): Listening {
  const made: Listening = { target, using: connect(target, 1, SETTINGS), unheardSince: undefined };
  const heard = (from: string) => {
    retryAfter = SHORTEST_RETRY;
    if (from === OWN) {
      made.unheardSince = undefined;
    } else {
      haveOthers = true;
      lastAsked = performance.now();
      callListeners();
    }
  };
  // Bun connects and listens again if the connection breaks. There may have been commits meanwhile, and others learn that
  // this process listens.
  const onListening = () => {
    callListeners();
    send().catch(() => {});
  };
  made.using.listen(CHANNEL, heard, onListening).catch(() => {
    if (listening === made) stopListening();
  });
  return made;
}

function stopListening(): void {
  const ended = listening;
  listening = undefined;
  ended?.using.close({ timeout: 0 }).catch(() => {});
}
