import { DatabaseUnavailable } from "./errors.ts";

/** Admits `permits` callers at a time. One that waits longer than `patience`, or than its own limit, gets an error. */
export function semaphore(permits: number, patience: number) {
  const waiting: Array<() => void> = [];
  let free = permits;

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  function acquire(most = patience): Promise<() => void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(release);
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve(release);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(admit), 1);
        reject(new DatabaseUnavailable("Too many requests wait for the database"));
      }, most);
      waiting.push(admit);
    });
  }

  return { acquire };
}
