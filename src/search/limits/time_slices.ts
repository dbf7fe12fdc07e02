// Others have their turn while something long is worked out.

/** Milliseconds that one turn takes. */
const TURN = 10;

/** To be awaited between two steps; it takes no time until a turn is over. */
export function turns(): () => Promise<void> | undefined {
  let until = performance.now() + TURN;
  return () => {
    if (performance.now() < until) return undefined;
    return Bun.sleep(0).then(() => {
      until = performance.now() + TURN;
    });
  };
}
