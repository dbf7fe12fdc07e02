import { type ChildProcess, spawn } from "node:child_process";

/** A process with all that it has printed so far. */
export interface Started {
  pid: number;
  child: ChildProcess;
  said(): string;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

type Options = {
  env?: Record<string, string | undefined>;
  cwd?: string;
  uid?: number;
  gid?: number;
};

/** Long enough for a busy machine. */
const LIMIT = 60_000;
const started: ChildProcess[] = [];

/** Starts a process in a group of its own, as a shell does. */
export function launch(command: string[], options: Options = {}): Started {
  const [program = "", ...args] = command;
  const { env, ...rest } = options;
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...env },
    ...rest,
  });
  started.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => (said += part));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? ""));
  });
  return { pid: child.pid ?? 0, child, said: () => said, ended };
}

/** Ends the processes that a test left running. */
export function endAll(): void {
  for (const { pid, exitCode, signalCode } of started.splice(0)) {
    if (pid && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
  }
}

/** The result of `look`, as soon as it is not undefined. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const limit = Date.now() + LIMIT;
  while (Date.now() < limit) {
    const found = await look();
    if (found) return found;
    await Bun.sleep(20);
  }
  throw new Error(`Waited in vain for ${what}`);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
