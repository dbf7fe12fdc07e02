// A check of restored rows against the present state of the database.
import type { SQL } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import type { RestoredTable } from "./tables.ts";

/** The ids of restored rows of a table; with a column, only of rows whose column was restored. */
export type Restored = (table: RestoredTable, column?: string) => SQL;

export interface FitCheck {
  /** The check runs if rows of these tables were restored. */
  tables: RestoredTable[];
  /** Selects a row for an invalid state. */
  offender: (restored: Restored, caller: Caller) => SQL;
  message: (found: Record<string, string>) => string;
  /** Whether it is about a name, which a hidden record may have. */
  isName?: boolean;
}
