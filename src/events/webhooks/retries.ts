// When a message is tried again: soon at first, then every four hours, for three days.

const SECOND = 1;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after each failed attempt; the last one repeats. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];

/** Seconds from the change on, after which a message is given up. */
export const PATIENCE = 3 * 24 * HOUR;
/** Seconds that a receiver may ask for. */
const LONGEST_RETRY_AFTER = 24 * HOUR;

/** Seconds until the next attempt, up to a fifth more or less, so that receivers are not asked by all at once. */
export function pauseAfter(attempts: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return Math.min(retryAfter, LONGEST_RETRY_AFTER);
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0] ?? 0;
  return pause * (0.8 + 0.4 * Math.random());
}
