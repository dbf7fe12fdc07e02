// Keeps the database running for one process until that process stops it.
import { closeSync } from "node:fs";
import { CannotStart, reason } from "./cannot_start.ts";
import { seeLog } from "./keeper.ts";
import type { Paths } from "./paths.ts";
import { isKept } from "./pipe.ts";
import { isRunning, runningPostmaster, watchFormer } from "./postmaster.ts";
import { joinOrLaunch, release, type Server } from "./server.ts";

export type Report = (line: string) => void;

export interface Supervised {
  /** The server that runs now, or ran last. */
  server(): Server;
  /** Why no server runs at the moment. */
  trouble(): string | null;
  /** Releases the server. */
  stop(): Promise<void>;
}

interface ObtainOptions {
  say: Report;
  /** Called with the error of a failed attempt; throws to give up. */
  failed: (error: Error) => void;
  /** Aborted when the database is not wanted any more. */
  signal: AbortSignal;
}

const LOOK = 250;
const WAIT = 50;
const PAUSE = { first: 100, longest: 5_000 };
/** After so long, the cause is more than a kill or two. */
const PATIENCE = 30_000;
const LOST = "The embedded PostgreSQL is being started again";

/** Joins or launches by turns, because other processes may start and stop PostgreSQL at the same
 * moment, with growing pauses after failures. */
export async function obtain(
  paths: Paths,
  { say: report, failed, signal }: ObtainOptions,
): Promise<Server> {
  const begun = Date.now();
  let awaitFormer = watchFormer(paths, report);
  for (let pause = PAUSE.first; ; ) {
    signal.throwIfAborted();
    try {
      const found = await joinOrLaunch(paths, { say: report, awaitFormer, signal });
      if (typeof found === "object") return found;
      if (found === "busy") {
        await Bun.sleep(WAIT);
        continue;
      }
      if (Date.now() - begun > PATIENCE) throw new CannotStart(endsAgain(paths));
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
      awaitFormer = watchFormer(paths, report);
    }
    await rest(pause, signal);
    pause = Math.min(2 * pause, PAUSE.longest);
  }
}

/** Checks regularly that PostgreSQL runs and has a keeper, and obtains it again when not. */
export function supervise(paths: Paths, first: Server, report: Report): Supervised {
  const ending = new AbortController();
  let server = first;
  let trouble: string | null = null;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (isKept(server.held) && isRunning(paths, server)) return;
    const former = server;
    // When its keeper alone was killed, PostgreSQL is still there.
    if (!isRunning(paths, former) || !runningPostmaster(paths)) lose();
    server = await obtain(paths, { say: report, failed: failures(report), signal: ending.signal });
    closeSync(former.held);
    if (trouble) report(`PostgreSQL ${server.version} runs again in ${paths.shown}`);
    trouble = null;
  }

  function lose(): void {
    trouble = LOST;
    report(LOST);
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => {
        if (!ending.signal.aborted) throw error;
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
    await release(paths, server);
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
function failures(report: Report): (error: Error) => void {
  let last = "";
  return (error) => {
    const why = error instanceof CannotStart ? error.message : reason(error);
    if (why !== last) report(why);
    last = why;
  };
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + milliseconds;
  while (!signal.aborted && Date.now() < until) await Bun.sleep(WAIT);
}

function endsAgain(paths: Paths): string {
  return `PostgreSQL ends as soon as it is started in ${paths.shown}; ${seeLog(paths)}`;
}
