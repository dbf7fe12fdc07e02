// Where the values are kept that a kind of record is found by.
import type { SQL } from "drizzle-orm";

/** How a value compares: text is also found by each of its words. */
export type Kind = "keyword" | "text" | "number" | "boolean" | "time" | "address" | "mac";

export interface Source {
  /** As in the record: interfaces.name. */
  path: string;
  kind: Kind;
  value: SQL;
  /** Of keywords: in lower case, in the words of an index, where there is one. */
  lower?: SQL;
  /** The record's key, and where it stands; conditions follow with "and". */
  id: SQL;
  from: SQL;
  /** Another source has the same values: whoever names no field is served by that one. */
  repeats?: boolean;
}

/** Values with paths of their own, such as variables. */
export interface Variables {
  /** What all of their paths begin with, and a dot. */
  path: string;
  /** The rest of it. */
  name: SQL;
  id: SQL;
  from: SQL;
  text: SQL;
  number: SQL;
  truth: SQL;
}

export interface Searched {
  /** The record's key in the query that asks. */
  id: SQL;
  /** The table of all records. */
  all: SQL;
  sources: readonly Source[];
  variables?: Variables;
}
