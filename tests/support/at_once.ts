/** The same by so many at one time. */
export function atOnce<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => work(number)));
}

/** How many answers there were of each status. */
export function counted(answers: Array<{ status: number }>): Record<number, number> {
  const statuses = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(
    Object.entries(statuses).map(([status, some]) => [status, some?.length ?? 0]),
  );
}
