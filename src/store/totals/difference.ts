// By how much a total differs from that at a mark: what both ways to find it have in common.
import { type SQL, sql } from "drizzle-orm";

export interface CountedRows {
  /** The tables and the condition, from "from". */
  matching: SQL;
  /** A column of the records by which they decide about each other: see resource.ts. */
  siblings?: string | undefined;
}

/**
 * A mark is an id of what is written one after the other, change sets or entries of a log, up to which everything is
 * committed. Later marks are higher.
 */
export interface Since {
  /** Selects the newest `mark`; null if there is none now. */
  newest: SQL;
  /** Selects a TotalDifference. */
  after: (mark: number) => SQL;
}

export interface TotalDifference {
  /** The rows that match now, less those that did at the mark. */
  delta: number;
  /** What was written after the mark. */
  changes: number;
  is_unknown: boolean;
  /** While it is the same, the number of rows at a mark is, too. */
  edition: string;
  snapshot: string;
}

/** Another server may not have what this one had. */
export const SERVER = sql`pg_postmaster_start_time()::text`;

/**
 * The greatest bigint, for ranges with two ends. PostgreSQL plans for any mark, and expects a third of a table after one,
 * but few rows between two.
 */
export const LAST_MARK = sql.raw("9223372036854775807");

/** Names of tables and columns, not values: the statement stays the same. */
export function text(name: string): SQL {
  return sql.raw(`'${name}'`);
}
