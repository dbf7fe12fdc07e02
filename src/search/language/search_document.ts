// Where the values are kept that a kind of record is found by.
import { type SQL, sql } from "drizzle-orm";
import type { Aliases } from "./aliases.ts";
import { matches, pathGlob } from "./glob.ts";
import type { Field, Group } from "./tree.ts";

/** How a value compares: text is also found by each of its words, a block by each address in it. */
export type Kind = "keyword" | "text" | "number" | "boolean" | "time" | "address" | "block" | "mac";

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
  /** Whoever names no field does not mean it: another source says the same, or it tells of another record. */
  onlyByName?: boolean;
}

/** Its value as keywords compare. */
export function lowerOf({ value, lower }: Pick<Source, "value" | "lower">): SQL {
  return lower ?? sql`(lower(${value}) collate "C")`;
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
  /** Short names for its fields. */
  aliases?: Aliases;
  /** The paths of what a record is called by, `name` where it is not said: see rank.ts. */
  names?: readonly string[];
  /** What a query means where that is kept elsewhere, in the words of the sources. */
  unfold?: (query: Group) => Promise<Group>;
  /** What people call its fields otherwise, for hints: see search/suggest/hints.ts. */
  otherNames?: Readonly<Record<string, string>>;
  sources: readonly Source[];
  variables?: Variables;
}

/** Those that a field names; without one, all that speak for themselves. */
export function sourcesMeant(
  field: Field | undefined,
  sources: readonly Source[],
): readonly Source[] {
  if (!field) return sources.filter(({ onlyByName }) => !onlyByName);
  return sources.filter(({ path }) => field.paths.some((one) => matches(pathGlob(one), path)));
}
