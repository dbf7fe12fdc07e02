/** The run cannot go on; the message is one sentence. */
export class Failed extends Error {}

/** The result of `look`, as soon as it is not undefined. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  seconds = 120,
): Promise<T> {
  const limit = Date.now() + seconds * 1_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > limit) throw new Failed(`Waited ${seconds} s in vain for ${what}`);
    await Bun.sleep(100);
  }
}
