// What can be searched: for each kind of record, its fields and where PostgreSQL finds their
// values.
import { type SQL, sql } from "drizzle-orm";
import { matches, pathGlob } from "./language/glob.ts";
import type { Aliases, QueryField } from "./language/tree.ts";

/** How values compare. A text is also found by each of its words, a block by each address in it. */
export type ValueKind =
  | "keyword"
  | "text"
  | "number"
  | "boolean"
  | "time"
  | "address"
  | "block"
  | "mac";

/** Where the values of one field are. */
export interface SearchSource {
  /** As in the record: interfaces.name. */
  path: string;
  kind: ValueKind;
  value: SQL;
  /** The column that has the value, as table.column; needed where `value` names the table by an alias. */
  column?: string;
  /** The value of a keyword in lower case, as its index has it. */
  lower?: SQL;
  /** The words of several values, each behind what tells whose it is: the index of words, if the value has none of its own. */
  words?: { vector: SQL; before: string };
  /** A text that has the value among others, and the index of trigrams. */
  within?: SQL;
  /** The list that has the value among others, in lower case, and an index. */
  list?: SQL;
  /** The key of the record. */
  id: SQL;
  /** Tables and a condition; further conditions are added with "and". */
  from: SQL;
  /**
   * Only found where a query names the field: another source has the same value, or it is about
   * another record.
   */
  onlyByName?: boolean;
}

/** Values that have paths of their own, such as variables. */
export interface Variables {
  /** Their paths start with this and a dot. */
  path: string;
  /** The rest of the path. */
  name: SQL;
  id: SQL;
  from: SQL;
  text: SQL;
  number: SQL;
  truth: SQL;
}

/**
 * A field whose values are names of saved queries: it also finds the records that these queries
 * find.
 */
interface SavedQueries {
  field: string;
  /** Selects `name` and `query`. */
  all: SQL;
}

export interface SearchDocument {
  /** The key of the record in the query that uses the condition. */
  id: SQL;
  /** The table of all records. */
  all: SQL;
  sources: readonly SearchSource[];
  variables?: Variables;
  /** Short names of fields. */
  aliases?: Aliases;
  /** Other names that people use for fields, for hints: see suggest/hints.ts. */
  otherNames?: Readonly<Record<string, string>>;
  /** The paths of the names of a record, for relevance: see rank.ts. `name` if undefined. */
  names?: readonly string[];
  savedQueries?: SavedQueries;
  /**
   * Selects the keys of the records that the caller may not see. If undefined, the list leaves them
   * out itself.
   */
  hidden?: SQL | undefined;
  /** Whose searches share the limits of a user; undefined outside of requests, where there are none. */
  user?: string | undefined;
  /** The changes of these records are not in the history, so no vocabulary can follow them. */
  isWithoutHistory?: boolean;
  /** Makes the results cacheable: see cache/. */
  tracked?: Tracked | undefined;
  /** Tells documents of one kind of record apart, if not all have the same fields. */
  edition?: string;
}

/** How cached results of a kind of record are kept valid. */
export interface Tracked {
  /** Distinguishes the cached results of different kinds of records. */
  name: string;
  /**
   * A statement of ChangedRecords: the records that a query may match differently since this
   * change.
   */
  changedSince: (change: number) => SQL;
  /** The columns that the list is sorted by, before the key. */
  order: SQL;
}

/** The value as keywords compare. */
export function lowerOf({ value, lower }: Pick<SearchSource, "value" | "lower">): SQL {
  return lower ?? sql`(lower(${value}) collate "C")`;
}

/** The sources that a field stands for; without a field, all but those that have to be named. */
export function sourcesOf(
  field: QueryField | undefined,
  sources: readonly SearchSource[],
): readonly SearchSource[] {
  if (!field) return sources.filter(({ onlyByName }) => !onlyByName);
  return sources.filter(({ path }) => field.paths.some((pattern) => isPath(path, pattern)));
}

export function isPath(path: string, pattern: string): boolean {
  return pattern.includes("*") ? matches(pathGlob(pattern), path) : path === pattern;
}

/** The source of the key. The field has to be named, because a number in a query is hardly ever a key. */
export function keySource(table: SQL): SearchSource[] {
  const id = sql`${table}.id`;
  const from = sql`${table} where true`;
  return [{ id, from, onlyByName: true, path: "id", kind: "number", value: id }];
}
