// A cache of the values of the most recently used keys.

/** Longer keys are not cached, so that typed text cannot fill the memory. */
const LONGEST = 1_000;

export function lruCache<Made>(most: number): (key: string, make: () => Made) => Made {
  const cache = new Map<string, Made>();
  return (key, make) => {
    const made = cache.get(key) ?? make();
    if (key.length > LONGEST) return made;
    // The most recently used key is the last one.
    cache.delete(key);
    cache.set(key, made);
    for (const oldest of cache.keys()) {
      if (cache.size <= most) break;
      cache.delete(oldest);
    }
    return made;
  };
}
