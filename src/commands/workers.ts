// Several processes that serve on one port, and the one that keeps them: it passes on what it is told,
// and starts again whoever dies. The kernel gives each new connection to one of them.
import type { Subprocess } from "bun";
import * as log from "../monitoring/log.ts";
import type { Message } from "./colleagues.ts";
import { Failed } from "./failed.ts";

export interface Crew {
  /** Once every one of them has served. */
  ready: Promise<void>;
  /** Rejected when one of them dies again and again. */
  lost: Promise<never>;
  /** Passes a signal on; when all have ended, so has this. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Whoever dies sooner died at once. */
const AT_ONCE = 5_000;
const MOST_DEATHS = 5;
const PAUSE = 200;

/** Settings that are the same for all, by their names in the environment. */
export function start(count: number, settings: Record<string, string>): Crew {
  const ending = new AbortController();
  const ready: Array<Promise<void>> = [];
  const running = new Map<number, Subprocess>();

  async function keep(number: number): Promise<void> {
    const serves = Promise.withResolvers<void>();
    ready.push(serves.promise);
    let deaths = 0;
    while (!ending.signal.aborted) {
      const begun = performance.now();
      const worker = launch(number, settings, (message) => {
        if (message === "serves") serves.resolve();
        else pass(running, message);
      });
      running.set(number, worker);
      await worker.exited;
      running.delete(number);
      if (ending.signal.aborted) return;
      deaths = performance.now() - begun < AT_ONCE ? deaths + 1 : 0;
      if (deaths === MOST_DEATHS) throw new Failed(lastWords(number));
      log.warn("A worker has ended and is started again", { worker: number, by: endOf(worker) });
      await pause(PAUSE * 2 ** deaths, ending.signal);
    }
  }

  const kept = Array.from({ length: count }, (_, index) => keep(index + 1));
  const lost = new Promise<never>((_, reject) => Promise.all(kept).catch(reject));
  // Our own end at once, on a second signal, leaves nobody behind.
  process.on("exit", () => signalAll(running, "SIGKILL"));
  return {
    ready: Promise.all(ready).then(() => {}),
    lost,
    end: async (signal) => {
      ending.abort();
      signalAll(running, signal);
      await Promise.allSettled(kept);
    },
  };
}

type Said = "serves" | Message;

/** The same program once more, which ends when we are gone. */
function launch(
  number: number,
  settings: Record<string, string>,
  hear: (message: Said) => void,
): Subprocess {
  return Bun.spawn([...program(), "serve", "--worker", String(number)], {
    env: { ...Bun.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: hear,
  });
}

function pass(running: Map<number, Subprocess>, message: Message): void {
  const { from, to } = message;
  for (const [number, worker] of running) {
    if (number !== from && number === (to ?? number)) tell(worker, message);
  }
}

function tell(worker: Subprocess, message: Message): void {
  try {
    worker.send(message);
  } catch {
    // It has just ended; nobody waits for it for long.
  }
}

/** The binary is its own program; from source it is Bun with our main file. */
function program(): string[] {
  const isBinary = Bun.main.startsWith("/$bunfs/");
  return isBinary ? [process.execPath] : [process.execPath, Bun.main];
}

function signalAll(running: Map<number, Subprocess>, signal: NodeJS.Signals): void {
  for (const worker of running.values()) worker.kill(signal);
}

function endOf({ signalCode, exitCode }: Subprocess): string {
  return signalCode === null ? `exit code ${exitCode}` : String(signalCode);
}

function lastWords(number: number): string {
  return `Worker ${number} ended ${MOST_DEATHS} times as soon as it was started; what it said stands above`;
}

function pause(milliseconds: number, unless: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    unless.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
