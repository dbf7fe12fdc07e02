import { Away } from "./faults.ts";

/** Lets `places` in at a time; whoever waits longer than `patience`, or than is said, is turned away. */
export function gate(places: number, patience: number) {
  const waiting: Array<() => void> = [];
  let free = places;

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  function enter(most = patience): Promise<() => void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(leave);
    }
    return new Promise((resolve, reject) => {
      const come = () => {
        clearTimeout(timer);
        resolve(leave);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(come), 1);
        reject(new Away("Too many requests wait for the database"));
      }, most);
      waiting.push(come);
    });
  }

  return { enter };
}
