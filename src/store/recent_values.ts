// What was made for the last keys is at hand, and is not made again.

/** Of longer keys nothing is kept, so that nobody can fill the memory with what was typed. */
const LONGEST = 1_000;

export function remembered<Made>(most: number): (key: string, make: () => Made) => Made {
  const known = new Map<string, Made>();
  return (key, make) => {
    const made = known.get(key) ?? make();
    if (key.length > LONGEST) return made;
    // The last asked for stands at the end.
    known.delete(key);
    known.set(key, made);
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return made;
  };
}
