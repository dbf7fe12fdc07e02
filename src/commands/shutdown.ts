// Waits until a server process has to shut down.
import { isOfDatabase, messageIn } from "../../db/errors.ts";
import * as log from "../monitoring/log.ts";
import { CommandFailed } from "./failed.ts";

/** A signal, or what nobody has caught. */
export type ShutdownReason = "SIGTERM" | "SIGINT" | { error: unknown };

/** A signal to the process group arrives twice: directly and from the parent. In milliseconds. */
const SAME_SIGNAL = 1_000;

/**
 * Resolves at a signal or an uncaught error; a second signal ends the process at once. What comes from the database is no
 * reason to end: it will be back.
 */
export function untilShutdown(): Promise<ShutdownReason> {
  return new Promise((resolve) => {
    let last = Number.NEGATIVE_INFINITY;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        const elapsed = performance.now() - last;
        last = performance.now();
        if (elapsed < SAME_SIGNAL) return;
        if (elapsed < Number.POSITIVE_INFINITY) process.exit(1);
        resolve(signal);
      });
    }
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, (error: unknown) => {
        log.error("Uncaught error", error);
        if (!isOfDatabase(error)) resolve({ error });
      });
    }
    // If the parent of a worker is killed, nobody else would end the worker.
    process.on("disconnect", () => resolve("SIGINT"));
  });
}

/** Its cause is the last line that the process prints. */
export function afterUncaught(error: unknown): CommandFailed {
  return new CommandFailed(`Cadastre has ended after an error: ${messageIn(error)}`);
}
