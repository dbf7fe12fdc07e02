// What many statements find at one moment, a few of them at a time, and all of them in time: what has not ended when it
// is due is cancelled, so that it takes nothing from others any more.
import type { SQL } from "bun";
import type { SQL as Fragment } from "drizzle-orm";
import { atOneMoment, cancel, send } from "./client.ts";
import { Away } from "./faults.ts";
import { rendered } from "./rendered.ts";

/** Sent together. Others have their turn before the next are written out. */
const AT_A_TIME = 8;
/** A connection that breaks so long before the end is worth another try. */
const WORTH_IT = 1_000;
/** A cancellation that comes between two statements is lost. */
const AGAIN = 50;
const LIMIT = "select set_config('statement_timeout', $1, true), pg_backend_pid() as pid";

/** Written out when its turn comes; what is undefined then is not asked. */
export type Query = () => Fragment | undefined;

export interface Gathering<Row> {
  /** By performance.now(). What has not ended by then is Away, and late. */
  due: number;
  /** What one of them found; `at` is its place among them. */
  take: (rows: Row[], at: number) => void;
}

export async function gathered<Row>(
  queries: readonly Query[],
  gathering: Gathering<Row>,
): Promise<void> {
  const { due } = gathering;
  const ask = () => atOneMoment((using) => askAll(using, queries, gathering), due);
  await ask().catch((fault) => {
    const isWorthIt = due - performance.now() > WORTH_IT;
    if (fault instanceof Away && fault.broken && isWorthIt) return ask();
    throw fault;
  });
}

async function askAll<Row>(
  using: SQL,
  queries: readonly Query[],
  { due, take }: Gathering<Row>,
): Promise<void> {
  const end = limited(using, due);
  try {
    for (let from = 0; from < queries.length; from += AT_A_TIME) {
      if (performance.now() > due) throw new Away("There is no time left", { late: true });
      const some = queries.slice(from, from + AT_A_TIME);
      await Promise.all(
        some.map(async (query, at) => {
          const asked = query();
          if (!asked) return;
          const { sql, params } = rendered(asked);
          take(await send<Row>(using, sql, params), from + at);
        }),
      );
      if (from + AT_A_TIME < queries.length) await Bun.sleep(0);
    }
  } finally {
    await end();
  }
}

/** Each statement by itself may take all the time that is left; together they may not. */
function limited(using: SQL, due: number): () => Promise<void> {
  const left = Math.max(1, Math.ceil(due - performance.now()));
  // Bun sends nothing before somebody wants to know what comes of it.
  const asked = send<{ pid: number }>(using, LIMIT, [String(left)]).then(
    ([told]) => told?.pid,
    () => undefined,
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const pid = await asked;
    if (pid !== undefined && !isOver) await cancel(pid);
    if (!isOver) stopLater(AGAIN);
  };
  const stopLater = (pause: number) => {
    timer = setTimeout(() => {
      stopping = stop();
    }, pause);
  };
  stopLater(left);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    // It must not end what comes next on this connection.
    await stopping;
  };
}
