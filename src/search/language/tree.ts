// What a query means: groups of clauses, and the leaves that look at fields. Whoever finds records, in SQL
// or otherwise, needs to know this file alone.
import type { Glob } from "./glob.ts";

/** Where in the text it stands: UTF-16 code units, from `offset` up to `end`. */
export interface Place {
  offset: number;
  end: number;
}

/**
 * True of a record of which every `must` is true, no `must_not` is, and, where there is no `must`, at least one
 * `should`. With `must_not` alone it is everything else; with nothing at all it is nothing.
 */
export interface Group extends Place {
  kind: "group";
  must: Clause[];
  should: Clause[];
  must_not: Clause[];
  boost?: number;
}

export type Clause = Group | Leaf;

/** As it was written, and the paths that it stands for; a path with `*` in it is a pattern of paths. */
export interface Field {
  name: string;
  paths: readonly string[];
}

export interface Bound {
  text: string;
  isInclusive: boolean;
}

interface OfFields extends Place {
  /** Without it, all fields are meant. */
  field?: Field;
  /** How much it counts in the order of what is found; 1 where it is not said. */
  boost?: number;
}

/** What expand() found out of a leaf: the values that it stands for, by path, or the keys of what it finds. */
interface Expanded {
  values?: Readonly<Record<string, readonly string[]>>;
  keys?: readonly number[];
}

export type Leaf = Any | Term | Phrase | Prefix | Wildcard | Regex | Fuzzy | Range | Exists;

/** Every record. */
export interface Any extends OfFields {
  kind: "any";
}

export interface Term extends OfFields {
  kind: "term";
  text: string;
  /** Bare words that stood side by side: they are one text, though their author may have meant each of them. */
  run?: readonly Word[];
}

export interface Word extends Place {
  text: string;
}

export interface Phrase extends OfFields {
  kind: "phrase";
  text: string;
  /** How many other words may stand between its words. */
  slop?: number;
}

/** Several terms of one field, of which one is enough: not of the parser, see search/sql/merged_terms.ts. */
export interface Terms extends OfFields {
  kind: "terms";
  texts: readonly string[];
}

export interface Prefix extends OfFields {
  kind: "prefix";
  text: string;
}

export interface Wildcard extends OfFields, Expanded {
  kind: "wildcard";
  glob: Glob;
}

/** Lucene's syntax: see lucene_regex.ts. What cannot be read finds nothing. */
export interface Regex extends OfFields, Expanded {
  kind: "regex";
  source: string;
}

export interface Fuzzy extends OfFields, Expanded {
  kind: "fuzzy";
  text: string;
  distance: 0 | 1 | 2;
}

/** Without a bound it is open at that end; without both it is true of every value. */
export interface Range extends OfFields, Expanded {
  kind: "range";
  from?: Bound;
  to?: Bound;
}

/** Has a value in one of these fields, or beneath them. */
export interface Exists extends OfFields {
  kind: "exists";
  field: Field;
}
