// Sees to it that one user of the database has it, for as long as it wants to.
import { closeSync } from "node:fs";
import { CannotStart, reason } from "./cannot_start.ts";
import { seeLog } from "./keeper.ts";
import { isKept } from "./pipe.ts";
import type { Places } from "./places.ts";
import { isRunning, living, watchFormer } from "./postmaster.ts";
import { joinOrLaunch, letGo, type Server } from "./server.ts";

export type Say = (line: string) => void;

export interface Supervised {
  /** The one that runs now, or ran last. */
  server(): Server;
  /** Why there is none at the moment. */
  trouble(): string | null;
  /** Lets go. */
  stop(): Promise<void>;
}

interface Wish {
  say: Say;
  /** Is told why an attempt failed; throws to give up. */
  failed: (fault: Error) => void;
  /** Aborted when the database is not wanted any more. */
  signal: AbortSignal;
}

const LOOK = 250;
const WAIT = 50;
const PAUSE = { first: 100, longest: 5_000 };
/** After so long, there must be a reason that goes beyond a kill or two. */
const PATIENCE = 30_000;
const LOST = "The embedded PostgreSQL is being started again";

/** Joins or launches by turns, because other processes may start and stop PostgreSQL at the same
 * moment, with growing pauses after failures. */
export async function obtain(place: Places, { say, failed, signal }: Wish): Promise<Server> {
  const begun = Date.now();
  let awaitFormer = watchFormer(place, say);
  for (let pause = PAUSE.first; ; ) {
    signal.throwIfAborted();
    try {
      const found = await joinOrLaunch(place, { say, awaitFormer, signal });
      if (typeof found === "object") return found;
      if (found === "busy") {
        await Bun.sleep(WAIT);
        continue;
      }
      if (Date.now() - begun > PATIENCE) throw new CannotStart(endsAgain(place));
    } catch (fault) {
      failed(fault instanceof Error ? fault : new Error(String(fault)));
      awaitFormer = watchFormer(place, say);
    }
    await rest(pause, signal);
    pause = Math.min(2 * pause, PAUSE.longest);
  }
}

/** Looks again and again whether PostgreSQL is there and kept, and obtains it again when it is not. */
export function supervise(place: Places, first: Server, say: Say): Supervised {
  const ending = new AbortController();
  let server = first;
  let trouble: string | null = null;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (isKept(server.held) && isRunning(place, server)) return;
    const former = server;
    // When its keeper alone was killed, PostgreSQL is still there.
    if (!isRunning(place, former) || !living(place)) lose();
    server = await obtain(place, { say, failed: failures(say), signal: ending.signal });
    closeSync(former.held);
    if (trouble) say(`PostgreSQL ${server.version} runs again in ${place.shown}`);
    trouble = null;
  }

  function lose(): void {
    trouble = LOST;
    say(LOST);
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((fault) => {
        if (!ending.signal.aborted) throw fault;
      })
      .finally(() => {
        looking = undefined;
      });
  }, LOOK);
  timer.unref();

  async function end(): Promise<void> {
    ending.abort();
    clearInterval(timer);
    await looking;
    await letGo(place, server);
  }

  let stopping: Promise<void> | undefined;
  return {
    server: () => server,
    trouble: () => trouble,
    stop: () => {
      // Once: a number that is closed twice may belong to another file by then.
      stopping ??= end();
      return stopping;
    },
  };
}

/** Says why it failed, once as long as it is for the same reason. */
function failures(say: Say): (fault: Error) => void {
  let last = "";
  return (fault) => {
    const why = fault instanceof CannotStart ? fault.message : reason(fault);
    if (why !== last) say(why);
    last = why;
  };
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + milliseconds;
  while (!signal.aborted && Date.now() < until) await Bun.sleep(WAIT);
}

function endsAgain(place: Places): string {
  return `PostgreSQL ends as soon as it is started in ${place.shown}; ${seeLog(place)}`;
}
