// A token bucket: a number at once, and then one in each interval.
export interface Rate {
  burst: number;
  /** Milliseconds until one more is allowed. */
  interval: number;
}

export function tokenBucket(
  { burst, interval }: Rate,
  now: () => number = () => performance.now(),
) {
  let available = burst;
  let updatedAt = now();
  return {
    /** Takes one if it is allowed now. */
    take(): boolean {
      available = Math.min(burst, available + (now() - updatedAt) / interval);
      updatedAt = now();
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}
