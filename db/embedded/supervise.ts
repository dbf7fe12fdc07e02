// Keeps the database running for one process until that process releases it.
import { closeSync } from "node:fs";
import { keepDoing } from "../background.ts";
import { pause } from "../pause.ts";
import { CannotStart, reason } from "./cannot_start.ts";
import { logHint } from "./keeper.ts";
import type { Paths } from "./paths.ts";
import { hasKeeper } from "./pipe.ts";
import { isRunning, runningPostmaster, watchFormer } from "./postmaster.ts";
import { type EmbeddedServer, joinOrLaunch, release } from "./server.ts";

export type ReportLine = (line: string) => void;

interface Supervised {
  /** The server that runs now, or ran last. */
  server(): EmbeddedServer;
  /** Why no server runs at the moment. */
  problem(): string | null;
  /** Releases the server. */
  stop(): Promise<void>;
}

interface ObtainOptions {
  report: ReportLine;
  /** Called with the error of a failed attempt; throws to give up. */
  failed: (error: Error) => void;
  /** Aborted when the database is not needed any more. */
  signal: AbortSignal;
}

const CHECK_INTERVAL = 250;
const POLL_INTERVAL = 50;
const RETRY_DELAY = { first: 100, longest: 5_000 };
/** Repeated ends within this time are retried; after it, the cause is no mere kill. */
const MAX_RESTART_TIME = 30_000;
const LOST = "The embedded PostgreSQL is being started again";

/** Joins or launches PostgreSQL, alternately, because other processes may start and stop it at the same
 * time. Waits longer after each failure. */
export async function joinOrLaunchServer(
  paths: Paths,
  { report, failed, signal }: ObtainOptions,
): Promise<EmbeddedServer> {
  const started = Date.now();
  let awaitFormer = watchFormer(paths, report);
  for (let delay = RETRY_DELAY.first; ; ) {
    signal.throwIfAborted();
    try {
      const found = await joinOrLaunch(paths, { report, awaitFormer, signal });
      if (typeof found === "object") return found;
      if (found === "busy") {
        await Bun.sleep(POLL_INTERVAL);
        continue;
      }
      if (Date.now() - started > MAX_RESTART_TIME) throw new CannotStart(endsRepeatedly(paths));
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
      awaitFormer = watchFormer(paths, report);
    }
    await pause(delay, signal);
    delay = Math.min(2 * delay, RETRY_DELAY.longest);
  }
}

/** Checks regularly that PostgreSQL runs and has a keeper, and obtains it again when not. */
export function supervise(paths: Paths, first: EmbeddedServer, report: ReportLine): Supervised {
  const ending = new AbortController();
  let server = first;
  let problem: string | null = null;

  async function check(): Promise<void> {
    if (hasKeeper(server.held) && isRunning(paths, server)) return;
    const former = server;
    // If only its keeper was killed, PostgreSQL still runs.
    if (!isRunning(paths, former) || !runningPostmaster(paths)) markLost();
    server = await joinOrLaunchServer(paths, {
      report,
      failed: reportOnce(report),
      signal: ending.signal,
    });
    closeSync(former.held);
    if (problem) report(`PostgreSQL ${server.version} runs again in ${paths.shown}`);
    problem = null;
  }

  function markLost(): void {
    problem = LOST;
    report(LOST);
  }

  const checkUntilEnd = () =>
    check().catch((error) => {
      if (!ending.signal.aborted) throw error;
    });
  const checking = keepDoing("The embedded PostgreSQL is not watched", checkUntilEnd, {
    every: CHECK_INTERVAL,
  });

  async function end(): Promise<void> {
    ending.abort();
    await checking.stop();
    await release(paths, server);
  }

  let stopping: Promise<void> | undefined;
  return {
    server: () => server,
    problem: () => problem,
    stop: () => {
      // Once: a number that is closed twice may belong to another file by then.
      stopping ??= end();
      return stopping;
    },
  };
}

/** Reports why it failed; the same reason only once. */
function reportOnce(report: ReportLine): (error: Error) => void {
  let last = "";
  return (error) => {
    const why = error instanceof CannotStart ? error.message : reason(error);
    if (why !== last) report(why);
    last = why;
  };
}

function endsRepeatedly(paths: Paths): string {
  return `PostgreSQL ends as soon as it is started in ${paths.shown}; ${logHint(paths)}`;
}
