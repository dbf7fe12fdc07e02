// Waits until a server process has to shut down.
import * as log from "../monitoring/log.ts";

export type ShutdownReason = "SIGTERM" | "SIGINT" | "error";

/** A signal to the process group arrives twice: directly and from the parent. In milliseconds. */
const SAME_SIGNAL = 1_000;

/** Resolves at a signal or an uncaught error; a second signal ends the process at once. */
export function untilShutdown(): Promise<ShutdownReason> {
  return new Promise((resolve) => {
    let last = Number.NEGATIVE_INFINITY;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        const since = performance.now() - last;
        last = performance.now();
        if (since < SAME_SIGNAL) return;
        if (since < Number.POSITIVE_INFINITY) process.exit(1);
        resolve(signal);
      });
    }
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, (error: unknown) => {
        log.error("Uncaught error", error);
        resolve("error");
      });
    }
    // If the parent of a worker is killed, nobody else would end the worker.
    process.on("disconnect", () => resolve("SIGINT"));
  });
}
