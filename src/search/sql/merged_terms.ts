// Many plain terms of one field, of which one is enough: a list of names that somebody has pasted. One by one they
// would be as many sets for each source; PostgreSQL looks up all in one.
import type { SQL } from "drizzle-orm";
import type { Source } from "../language/search_document.ts";
import type { Clause, Phrase, Term, Terms } from "../language/tree.ts";
import { severalOf } from "./alternatives.ts";

/** The same clauses, such terms taken together. */
export function merged(given: readonly Clause[]): Array<Clause | Terms> {
  const clauses = given.flatMap(flat);
  const plain = clauses.filter(isPlain);
  const fields = Map.groupBy(plain, ({ field }) => field?.name);
  const several = [...fields.values()].filter(({ length }) => length > 1);
  const inSome = new Set<Clause>(several.flat());
  return [...clauses.filter((one) => !inSome.has(one)), ...several.flatMap(together)];
}

/** A group of which one is enough is, among others of which one is enough, no group. */
function flat(clause: Clause): Clause[] {
  if (clause.kind !== "group") return [clause];
  const { must, should, must_not } = clause;
  return must.length + must_not.length > 0 ? [clause] : should.flatMap(flat);
}

function isPlain(clause: Clause): clause is Term | Phrase {
  return clause.kind === "term" || (clause.kind === "phrase" && !clause.slop);
}

function together(terms: ReadonlyArray<Term | Phrase>): Terms[] {
  const [first] = terms;
  if (!first) return [];
  const { field, offset, end } = first;
  return [
    { kind: "terms", texts: terms.map(({ text }) => text), ...(field && { field }), offset, end },
  ];
}

/** What they ask of a value, in conditions that an index finds each; `each` says it of one of them. */
export function onTerms(source: Source, terms: Terms, each: (term: Term) => SQL[]): SQL[] {
  const { offset, end } = terms;
  const { conditions, others } = severalOf(source, terms.texts);
  return [...conditions, ...others.flatMap((text) => each({ kind: "term", text, offset, end }))];
}
