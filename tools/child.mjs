import { spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A problem that the user has to solve; the message is one sentence. */
export class UserError extends Error {}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Signals within this time count as one: npm forwards what the terminal has sent to this process as well. */
const SAME_SIGNAL = 1_000;
const POLL_INTERVAL = 250;

/** Runs a program with the input and output of this process, and returns its exit code. */
export function run(program, args, options = {}) {
  return end(spawn(program, args, { stdio: "inherit", cwd: ROOT, ...options }));
}

/** The exit code of a child, once it has ended; signals are forwarded to it. */
export async function end(child) {
  const stopPassing = passSignals(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) => reject(new UserError(`${child.spawnfile}: ${error.message}`)));
      child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    });
  } finally {
    stopPassing();
  }
}

function passSignals(child) {
  let last = Number.NEGATIVE_INFINITY;
  const pass = (signal) => {
    // On a terminal the child, in the same process group, has received ctrl-C itself.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    if (performance.now() - last > SAME_SIGNAL) child.kill(signal);
    last = performance.now();
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  const watch = watchParent(() => pass("SIGTERM"));
  return () => {
    for (const signal of SIGNALS) process.off(signal, pass);
    clearInterval(watch);
  };
}

/** npm ends the shell between itself and this process, which does not forward the signal. */
function watchParent(orphaned) {
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event) return undefined;
  return setInterval(() => process.ppid !== parent && orphaned(), POLL_INTERVAL);
}
