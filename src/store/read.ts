import type { SQL } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";

/** Runs a query, inside a transaction or outside of one. */
export type Read = <Row>(query: SQL) => Promise<Row[]>;

export function readIn(tx: Transaction): Read {
  return async <Row>(query: SQL) => [...(await tx.execute(query))] as Row[];
}
