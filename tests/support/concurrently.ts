/**
 * Runs the work `count` times concurrently. Requests that are answered 503 with Retry-After are repeated together,
 * until none is left or all are refused.
 */
export async function concurrently<T>(
  count: number,
  work: (number: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  let waiting = Array.from({ length: count }, (_, number) => number);
  while (waiting.length > 0) {
    const round = await Promise.all(
      waiting.map(async (number) => ({ number, answer: await work(number) })),
    );
    for (const { number, answer } of round) answers[number] = answer;
    const refused = round
      .filter(({ answer }) => isRefusedForNow(answer))
      .map(({ number }) => number);
    if (refused.length === waiting.length) break;
    waiting = refused;
  }
  return answers;
}

interface AnswerLike {
  status?: number;
  headers?: Headers;
  retryAfter?: string | null;
}

function isRefusedForNow(answer: unknown): boolean {
  const { status, headers, retryAfter } = (answer ?? {}) as AnswerLike;
  return status === 503 && Boolean(retryAfter ?? headers?.get("retry-after"));
}

/** How many answers there were of each status. */
export function counted(answers: Array<{ status: number }>): Record<number, number> {
  const statuses = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(
    Object.entries(statuses).map(([status, some]) => [status, some?.length ?? 0]),
  );
}
