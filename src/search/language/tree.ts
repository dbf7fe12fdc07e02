// The tree of a query: groups of clauses, and leaves that look at fields. It is all that the
// evaluation of a query needs to know of the language.
import type { Glob } from "./glob.ts";

/** A place in the text, in UTF-16 code units; `end` is exclusive. */
export interface TextPlace {
  offset: number;
  end: number;
}

/**
 * Matches records that match every `must`, no `must_not` and, if there is no `must`, at least one
 * `should`. A group with only `must_not` matches all other records; an empty group matches nothing.
 */
export interface ClauseGroup extends TextPlace {
  kind: "group";
  must: Clause[];
  should: Clause[];
  must_not: Clause[];
  boost?: number;
}

export type Clause = ClauseGroup | Leaf;

/** The paths that the name of a field stands for; other names stand for themselves. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/**
 * `name` is as written; `paths` are the fields it stands for. A path with `*` is a pattern of
 * paths.
 */
export interface QueryField {
  name: string;
  paths: readonly string[];
}

export interface Bound {
  text: string;
  isInclusive: boolean;
}

interface LeafOfFields extends TextPlace {
  /** All fields if undefined. */
  field?: QueryField;
  /** Weight in the order of results; 1 if undefined. */
  boost?: number;
}

/**
 * What expand() adds to a leaf: the values that it stands for, by path, or the keys of the records
 * that it finds.
 */
interface Expanded {
  values?: Readonly<Record<string, readonly string[]>>;
  keys?: readonly number[];
}

export type Leaf = Any | Term | Phrase | Prefix | Wildcard | RegexTerm | Fuzzy | RangeTerm | Exists;

/** Every record. */
export interface Any extends LeafOfFields {
  kind: "any";
}

export interface Term extends LeafOfFields {
  kind: "term";
  text: string;
  /** The bare words that stood side by side and form this text. */
  run?: readonly Word[];
}

export interface Word extends TextPlace {
  text: string;
}

export interface Phrase extends LeafOfFields {
  kind: "phrase";
  text: string;
  /** How many other words may stand between its words. */
  slop?: number;
}

/**
 * Several terms of one field joined by OR. The parser does not make it: see mergeTerms() in
 * sql/compile.ts.
 */
export interface Terms extends LeafOfFields {
  kind: "terms";
  texts: readonly string[];
}

export interface Prefix extends LeafOfFields {
  kind: "prefix";
  text: string;
}

export interface Wildcard extends LeafOfFields, Expanded {
  kind: "wildcard";
  glob: Glob;
}

/** Lucene's syntax: see regex.ts. An expression that is not valid finds nothing. */
export interface RegexTerm extends LeafOfFields, Expanded {
  kind: "regex";
  source: string;
}

export interface Fuzzy extends LeafOfFields, Expanded {
  kind: "fuzzy";
  text: string;
  distance: 0 | 1 | 2;
}

/** Open at an end without a bound; without both bounds it matches every value. */
export interface RangeTerm extends LeafOfFields, Expanded {
  kind: "range";
  from?: Bound;
  to?: Bound;
}

/** Has a value in one of these fields or in a field inside them. */
export interface Exists extends LeafOfFields {
  kind: "exists";
  field: QueryField;
}

/** All leaves, in the order of their groups: must, should, must_not. */
export function leavesOf(clause: Clause): Leaf[] {
  if (clause.kind !== "group") return [clause];
  return [...clause.must, ...clause.should, ...clause.must_not].flatMap(leavesOf);
}
