// What depends on the database that is open: caches are cleared when another one is opened, and further connections end
// when it is closed.
import type { DatabaseTarget } from "./connect.ts";

const clearing: Array<() => void> = [];
const closing: Array<() => void> = [];
let target: DatabaseTarget | undefined;

/** Registers a function that clears a cache; it is called when a database is opened. */
export function onOpen(clear: () => void): void {
  clearing.push(clear);
}

export function clearCaches(): void {
  for (const clear of clearing) clear();
}

/** Registers a function that ends a connection of its own; it is called when the database is closed. */
export function onClose(end: () => void): void {
  closing.push(end);
}

/** The database that is open. */
export function openTarget(): DatabaseTarget | undefined {
  return target;
}

export function noteOpen(opened: DatabaseTarget): void {
  target = opened;
  clearCaches();
}

export function noteClose(): void {
  target = undefined;
  for (const end of closing) end();
}
