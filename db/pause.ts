import { setTimeout } from "node:timers/promises";

/** Waits so long, unless the signal is aborted before or meanwhile. */
export async function pause(milliseconds: number, unless: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal: unless }).catch(() => {});
}
