import type { Clause, Group, Leaf } from "./tree.ts";

/** A query that finds all that this one could find, whatever some of its leaves come to find. */
export function widened(query: Group, isOpen: (leaf: Leaf) => boolean): Group {
  return inGroup(query, isOpen, true);
}

/** Behind an odd number of negations a leaf has to find nothing. */
function inGroup(group: Group, isOpen: (leaf: Leaf) => boolean, finds: boolean): Group {
  const each = (clauses: Clause[], isTrue: boolean) =>
    clauses.map((one) => inClause(one, isOpen, isTrue));
  const { must, should, must_not } = group;
  return {
    ...group,
    must: each(must, finds),
    should: each(should, finds),
    must_not: each(must_not, !finds),
  };
}

function inClause(clause: Clause, isOpen: (leaf: Leaf) => boolean, finds: boolean): Clause {
  if (clause.kind === "group") return inGroup(clause, isOpen, finds);
  if (!isOpen(clause)) return clause;
  const { offset, end } = clause;
  if (finds) return { kind: "any", offset, end };
  return { kind: "group", must: [], should: [], must_not: [], offset, end };
}
