// What a check of restored rows consists of.
import type { SQL } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import type { Table } from "./tables.ts";

/** The ids of restored rows of a table; with a column, only of rows where that column was restored. */
export type Restored = (table: Table, column?: string) => SQL;

export interface Check {
  /** The tables whose restored rows it checks. */
  of: Table[];
  /** Selects a row that does not fit. */
  offender: (restored: Restored, caller: Caller) => SQL;
  say: (found: Record<string, string>) => string;
  /** The refusal is about a name that a hidden record may have. */
  isName?: boolean;
}
