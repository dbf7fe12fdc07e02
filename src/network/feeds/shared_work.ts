/**
 * Work that many requests want at the same time is done for all of them. Work that has begun may have read older records
 * than a later request must see: such requests share the next one, which begins when this one ends.
 */
export function sharedWork<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();

  function begin(key: string, work: () => Promise<T>): Promise<T> {
    next.delete(key);
    const begun = work().finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }

  return (key, work) => {
    const waiting = next.get(key);
    if (waiting) return waiting;
    const begun = running.get(key);
    if (!begun) return begin(key, work);
    const after = begun.catch(() => {}).then(() => begin(key, work));
    next.set(key, after);
    return after;
  };
}
