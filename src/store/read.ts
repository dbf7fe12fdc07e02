import type { SQL } from "drizzle-orm";
import type { Transaction } from "./write.ts";

/** Asks the database: outside of a write, or as its transaction sees things. */
export type Read = <Row>(query: SQL) => Promise<Row[]>;

export function inside(tx: Transaction): Read {
  return async <Row>(query: SQL) => [...(await tx.execute(query))] as Row[];
}
