import type { SQL } from "drizzle-orm";
import { onOneConnection, type Transaction } from "../../db/client.ts";

export { onOneConnection };

/** Runs a query: inside a transaction, on a connection that others share, or on any. */
export type Read = <Row>(query: SQL) => Promise<Row[]>;

export function readIn(tx: Transaction): Read {
  return (query) => tx.execute(query);
}
