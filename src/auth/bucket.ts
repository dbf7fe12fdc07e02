// A token bucket: so many at once, and then one in each interval.
export interface Rate {
  burst: number;
  /** Milliseconds until one more is allowed. */
  interval: number;
}

export function bucket({ burst, interval }: Rate, now: () => number = () => performance.now()) {
  let available = burst;
  let updatedAt = now();
  return {
    /** Whether one more is allowed now. */
    take(): boolean {
      available = Math.min(burst, available + (now() - updatedAt) / interval);
      updatedAt = now();
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}
