// Many statements in one snapshot of the data, with one deadline for all of them: what has not
// ended by then is cancelled, so that it uses no more of the database.
import type { SQL } from "bun";
import type { SQL as Fragment } from "drizzle-orm";
import { inSnapshot, READ_SNAPSHOT, rendered, sendStatement } from "./client.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { cancel, withSeparateConnection } from "./servers.ts";

/** Statements that are sent at a time; other requests get the connection before the next ones. */
const AT_A_TIME = 8;
/** Retry after a broken connection only if so many milliseconds are left. */
const WORTH_IT = 1_000;
/** Milliseconds until the next cancellation: one that comes between two statements is lost. */
const AGAIN = 50;
const LIMIT = "select set_config('statement_timeout', $1, true), pg_backend_pid() as pid";

/** Called just before the statement is sent; returns undefined if there is none. */
export type StatementMaker = () => Fragment | undefined;

export interface SnapshotReading<Row> {
  /** By performance.now(); after it, a late DatabaseUnavailable is thrown. */
  due: number;
  /** Receives the rows of one statement; `at` is its index. */
  take: (rows: Row[], at: number) => void;
}

export async function readSnapshot<Row>(
  queries: readonly StatementMaker[],
  reading: SnapshotReading<Row>,
): Promise<void> {
  const { due } = reading;
  const read = () => inSnapshot((using) => sendAll(using, queries, reading), due);
  await read().catch((error) => {
    const isWorthIt = due - performance.now() > WORTH_IT;
    if (error instanceof DatabaseUnavailable && error.broken && isWorthIt) return read();
    throw error;
  });
}

async function sendAll<Row>(
  using: SQL,
  queries: readonly StatementMaker[],
  { due, take }: SnapshotReading<Row>,
): Promise<void> {
  const end = cancelWhenDue(using, due);
  try {
    for (let from = 0; from < queries.length; from += AT_A_TIME) {
      if (performance.now() > due)
        throw new DatabaseUnavailable("There is no time left", { late: true });
      const some = queries.slice(from, from + AT_A_TIME);
      await Promise.all(
        some.map(async (query, at) => {
          const statement = query();
          if (!statement) return;
          const { sql, params } = rendered(statement);
          take(await sendStatement<Row>(using, sql, params), from + at);
        }),
      );
      if (from + AT_A_TIME < queries.length) await Bun.sleep(0);
    }
  } finally {
    await end();
  }
}

/** Limits each statement, and all of them together, to the time that is left. */
function cancelWhenDue(using: SQL, due: number): () => Promise<void> {
  const left = Math.max(1, Math.ceil(due - performance.now()));
  // Bun sends a statement only when its promise is used.
  const backend = sendStatement<{ pid: number }>(using, LIMIT, [String(left)]).then(
    ([row]) => row?.pid,
    () => undefined,
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const pid = await backend;
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
    // It must not cancel the next statement of this connection.
    await stopping;
  };
}

// One snapshot of the data for work that reads for many seconds, such as an export, on a connection of its own.

/** Milliseconds for one statement, above its own timeout; a server that takes longer is frozen. */
const SILENCE_LIMIT = 6_000;
/** Milliseconds between two statements, while what was read is written. */
const LONGEST_PAUSE = 60_000;

type ReadInSnapshot = <Row>(query: Fragment) => Promise<Row[]>;

/** Rolls back and closes the connection when the work ends, in whatever way. */
export function inLongSnapshot<T>(work: (read: ReadInSnapshot) => Promise<T>): Promise<T> {
  const limits = { idle_in_transaction_session_timeout: LONGEST_PAUSE };
  return withSeparateConnection(limits, (using) => {
    const silence = Promise.withResolvers<never>();
    const read = async <Row>(query: Fragment): Promise<Row[]> => {
      const { sql, params } = rendered(query);
      const timer = setTimeout(() => {
        silence.reject(new DatabaseUnavailable("The database does not answer"));
      }, SILENCE_LIMIT);
      return sendStatement<Row>(using, sql, params).finally(() => clearTimeout(timer));
    };
    const reading = async () => {
      await using.unsafe(`begin ${READ_SNAPSHOT}`);
      return work(read);
    };
    return Promise.race([reading(), silence.promise]);
  });
}
