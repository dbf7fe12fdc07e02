import type { SQL } from "drizzle-orm";

export { onOneConnection } from "../../db/client.ts";

/** Runs a query: inside a transaction (`tx.execute`), on a connection that others share, or on any. */
export type Read = <Row>(query: SQL) => Promise<Row[]>;
