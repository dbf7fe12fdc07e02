// What is the same for the same address is made once for each of the last addresses.

/** So many are remembered; of long keys none, so that nobody can fill the memory with what was typed. */
const MOST = 200;
const LONGEST = 1_000;

export function remembered<Made>(): (key: string, make: () => Made) => Made {
  const known = new Map<string, Made>();
  return (key, make) => {
    const made = known.get(key) ?? make();
    if (key.length > LONGEST) return made;
    // The last asked for stands at the end.
    known.delete(key);
    known.set(key, made);
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return made;
  };
}
