/**
 * Work that many requests want at the same time is done for all of them. Work that has begun may have read older records
 * than a later request must see. Such requests wait for it, take its result if it `suffices`, and share the next one if not.
 */
export function sharedWork<T extends object>() {
  const running = new Map<string, Promise<T>>();

  function begin(key: string, work: () => Promise<T>): Promise<T> {
    const begun = work().finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }

  return async (
    key: string,
    work: () => Promise<T>,
    suffices: (result: T) => boolean = () => false,
  ): Promise<T> => {
    const before = await running.get(key)?.catch(() => null);
    if (before && suffices(before)) return before;
    // What is running now, another request has begun after this one came.
    return running.get(key) ?? begin(key, work);
  };
}
