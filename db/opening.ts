// What is remembered of one database may not be true of the next one that is opened.
const forgetting: Array<() => void> = [];

/** To be called whenever a database is opened. */
export function onOpen(forget: () => void): void {
  forgetting.push(forget);
}

export function forgetAll(): void {
  for (const forget of forgetting) forget();
}
