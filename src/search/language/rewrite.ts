// Trees made from trees: saved queries in the place of their names, and a query that finds at least
// as much as another.
import { TakesTooLong } from "../limits.ts";
import { matches } from "./glob.ts";
import { tryParse } from "./parser.ts";
import { matcher, readRegex } from "./regex.ts";
import type { Aliases, Bound, Clause, ClauseGroup, Leaf } from "./tree.ts";
import { distance } from "./words.ts";

// Saved queries -----------------------------------------------------------------------------------

export interface SavedQuery {
  name: string;
  query: string;
}

interface Unfolding {
  /** The field that names saved queries. */
  field: string;
  queries: readonly SavedQuery[];
  aliases: Aliases;
  /** How many more queries may be inserted. */
  left: number;
}

/** How many saved queries one search may come to. */
const MOST_EXPANDED = 1_000;

/** Leaves of this field also find what the saved queries find that they name. */
export function withSavedQueries(query: ClauseGroup, given: Omit<Unfolding, "left">): ClauseGroup {
  return unfold(query, { ...given, left: MOST_EXPANDED }, new Set());
}

/** `within` are the queries that lead here: a query that names itself adds nothing. */
function unfold(query: ClauseGroup, all: Unfolding, within: ReadonlySet<SavedQuery>): ClauseGroup {
  const each = (clauses: Clause[]) => clauses.map((one) => unfoldClause(one, all, within));
  const { must, should, must_not } = query;
  return { ...query, must: each(must), should: each(should), must_not: each(must_not) };
}

function unfoldClause(clause: Clause, all: Unfolding, within: ReadonlySet<SavedQuery>): Clause {
  if (clause.kind === "group") return unfold(clause, all, within);
  if (clause.field?.name !== all.field) return clause;
  const queries = queriesNamed(clause, all, within);
  if (queries.length === 0) return clause;
  const { offset, end, boost } = clause;
  const group: ClauseGroup = { kind: "group", must: [], must_not: [], offset, end, should: [] };
  return { ...group, ...(boost !== undefined && { boost }), should: [clause, ...queries] };
}

/** A saved query that is not valid any more finds nothing. */
function queriesNamed(leaf: Leaf, all: Unfolding, within: ReadonlySet<SavedQuery>): ClauseGroup[] {
  const isNamed = nameMatcher(leaf);
  const named = all.queries.filter((one) => !within.has(one) && isNamed(one.name));
  all.left -= named.length;
  if (all.left < 0) throw new TakesTooLong();
  return named.flatMap((one) => {
    const query = tryParse(one.query, all.aliases);
    return query ? [unfold(query, all, new Set([...within, one]))] : [];
  });
}

/** Whether a name matches a leaf, compared as keywords. */
function nameMatcher(leaf: Leaf): (name: string) => boolean {
  const isMatch = lowerMatcher(leaf);
  return (name) => isMatch(name.toLowerCase());
}

function lowerMatcher(leaf: Leaf): (name: string) => boolean {
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return (name) => name === leaf.text.toLowerCase();
    case "prefix":
      return (name) => name.startsWith(leaf.text.toLowerCase());
    case "wildcard": {
      const glob = leaf.glob.map((part) => (typeof part === "string" ? part.toLowerCase() : part));
      return (name) => matches(glob, name);
    }
    case "regex": {
      const regex = readRegex(leaf.source);
      return regex ? matcher(regex) : () => false;
    }
    case "fuzzy":
      return (name) => distance(name, leaf.text.toLowerCase(), leaf.distance) <= leaf.distance;
    case "range":
      return (name) => isAbove(leaf.from, name) && isBelow(leaf.to, name);
    default:
      return () => true;
  }
}

function isAbove(from: Bound | undefined, name: string): boolean {
  const order = from ? compare(name, from) : 1;
  return order > 0 || (order === 0 && from?.isInclusive === true);
}

function isBelow(to: Bound | undefined, name: string): boolean {
  const order = to ? compare(name, to) : -1;
  return order < 0 || (order === 0 && to?.isInclusive === true);
}

/** By bytes, as PostgreSQL compares keywords. */
function compare(name: string, { text }: Bound): number {
  return Buffer.compare(Buffer.from(name), Buffer.from(text.toLowerCase()));
}

// Widening ----------------------------------------------------------------------------------------

/**
 * A query that finds everything that this one could find, however the results of its open leaves
 * change.
 */
export function widened(query: ClauseGroup, isOpen: (leaf: Leaf) => boolean): ClauseGroup {
  return widenGroup(query, isOpen, true);
}

/** Under an odd number of negations an open leaf has to find nothing. */
function widenGroup(
  group: ClauseGroup,
  isOpen: (leaf: Leaf) => boolean,
  finds: boolean,
): ClauseGroup {
  const each = (clauses: Clause[], isTrue: boolean) =>
    clauses.map((one) => widenClause(one, isOpen, isTrue));
  const { must, should, must_not } = group;
  return {
    ...group,
    must: each(must, finds),
    should: each(should, finds),
    must_not: each(must_not, !finds),
  };
}

function widenClause(clause: Clause, isOpen: (leaf: Leaf) => boolean, finds: boolean): Clause {
  if (clause.kind === "group") return widenGroup(clause, isOpen, finds);
  if (!isOpen(clause)) return clause;
  const { offset, end } = clause;
  if (finds) return { kind: "any", offset, end };
  return { kind: "group", must: [], should: [], must_not: [], offset, end };
}
