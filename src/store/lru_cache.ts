// A cache of the values of the most recently used keys.

/** Longer keys are not cached, so that typed text cannot fill the memory. */
const LONGEST = 1_000;

export function lruCache<Made>(most: number): (key: string, make: () => Made) => Made {
  const known = new Map<string, Made>();
  return (key, make) => {
    const made = known.get(key) ?? make();
    if (key.length > LONGEST) return made;
    // The most recently used key is the last one.
    known.delete(key);
    known.set(key, made);
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return made;
  };
}
