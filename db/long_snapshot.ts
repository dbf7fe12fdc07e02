// One snapshot of the data for work that reads for many seconds, such as an export, on a connection of its own.
import type { SQL as Fragment } from "drizzle-orm";
import { READ_SNAPSHOT, rendered, sendStatement } from "./client.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { withSeparateConnection } from "./servers.ts";

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
