// How a process that serves is told to end.
import * as log from "../monitoring/log.ts";

export type Ending = "SIGTERM" | "SIGINT" | "fault";

/** A signal to the whole group comes twice: directly, and passed on by who started us. */
const SAME_SIGNAL = 1_000;

/** Until a signal, or a fault that nobody has caught; a second signal ends the process at once. */
export function untilTold(): Promise<Ending> {
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
      process.on(event, (fault: unknown) => {
        log.error("Nobody caught a fault", fault);
        resolve("fault");
      });
    }
    // A worker whose keeper was killed would serve on, with nobody to end it.
    process.on("disconnect", () => resolve("SIGINT"));
  });
}
