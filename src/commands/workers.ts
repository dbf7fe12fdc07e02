// Runs several worker processes on one port, restarts those that die, and passes on their messages. The kernel assigns
// each new connection to one of them.
import type { Subprocess } from "bun";
import { pause } from "../../db/pause.ts";
import * as log from "../monitoring/log.ts";
import { CommandFailed } from "./failed.ts";
import type { MetricsMessage } from "./worker_metrics.ts";

interface WorkerGroup {
  /** Resolves when every worker serves. */
  ready: Promise<void>;
  /** Rejects when a worker dies repeatedly. */
  lost: Promise<never>;
  /** Sends a signal to all workers; resolves when all have ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A worker that dies sooner failed to start. In milliseconds. */
const START_TIME = 5_000;
const MAX_FAILURES = 5;
const RESTART_DELAY = 200;

/** The settings are environment variables for all workers. */
export function start(count: number, settings: Record<string, string>): WorkerGroup {
  const ending = new AbortController();
  const ready: Array<Promise<void>> = [];
  const running = new Map<number, Subprocess>();

  async function runWorker(number: number): Promise<void> {
    const serves = Promise.withResolvers<void>();
    ready.push(serves.promise);
    let failures = 0;
    while (!ending.signal.aborted) {
      const started = performance.now();
      const worker = launch(number, settings, (message) => {
        if (message === "serves") serves.resolve();
        else forward(running, message);
      });
      running.set(number, worker);
      await worker.exited;
      running.delete(number);
      if (ending.signal.aborted) return;
      failures = performance.now() - started < START_TIME ? failures + 1 : 0;
      if (failures === MAX_FAILURES) throw new CommandFailed(failureMessage(number));
      log.warn("A worker has ended and is started again", {
        worker: number,
        by: exitReason(worker),
      });
      await pause(RESTART_DELAY * 2 ** failures, ending.signal);
    }
  }

  const loops = Array.from({ length: count }, (_, index) => runWorker(index + 1));
  const lost = new Promise<never>((_, reject) => Promise.all(loops).catch(reject));
  // An immediate exit, on a second signal, kills the workers too.
  process.on("exit", () => signalAll(running, "SIGKILL"));
  return {
    ready: Promise.all(ready).then(() => {}),
    lost,
    end: async (signal) => {
      ending.abort();
      signalAll(running, signal);
      await Promise.allSettled(loops);
    },
  };
}

type ServiceWorkerMessage = "serves" | MetricsMessage;

/** Starts this program again; it ends when its IPC channel closes. */
function launch(
  number: number,
  settings: Record<string, string>,
  receive: (message: ServiceWorkerMessage) => void,
): Subprocess {
  return Bun.spawn([...program(), "serve", "--worker", String(number)], {
    env: { ...Bun.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: receive,
  });
}

function forward(running: Map<number, Subprocess>, message: MetricsMessage): void {
  const { from, to } = message;
  for (const [number, worker] of running) {
    if (number !== from && number === (to ?? number)) send(worker, message);
  }
}

function send(worker: Subprocess, message: MetricsMessage): void {
  try {
    worker.send(message);
  } catch {
    // The worker has just ended; the sender does not wait long for an answer.
  }
}

/** The command line of this program: the binary, or Bun with the main file. */
function program(): string[] {
  const isBinary = Bun.main.startsWith("/$bunfs/");
  return isBinary ? [process.execPath] : [process.execPath, Bun.main];
}

function signalAll(running: Map<number, Subprocess>, signal: NodeJS.Signals): void {
  for (const worker of running.values()) worker.kill(signal);
}

function exitReason({ signalCode, exitCode }: Subprocess): string {
  return signalCode === null ? `exit code ${exitCode}` : String(signalCode);
}

function failureMessage(number: number): string {
  return `Worker ${number} ended ${MAX_FAILURES} times as soon as it was started; its messages are above`;
}
