// Caches of one database are cleared when another one is opened.
const listeners: Array<() => void> = [];

/** Registers a function that clears a cache; it is called when a database is opened. */
export function onOpen(clear: () => void): void {
  listeners.push(clear);
}

export function clearCaches(): void {
  for (const clear of listeners) clear();
}
