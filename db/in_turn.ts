let last: Promise<unknown> = Promise.resolve();

/**
 * The looks for work that the service takes each second, one after the other. Two at the same time use two connections,
 * and neither would ever be idle for long enough to be closed: 25 MB of PostgreSQL.
 */
export function inTurn<T>(look: () => Promise<T>): Promise<T> {
  const turn = last.then(look);
  last = turn.catch(() => {});
  return turn;
}
