// "Did you mean": the same query with one of its words put right.

import { distance } from "./distance.ts";
import type { Searched, Source } from "./document.ts";
import { sourcesMeant } from "./document.ts";
import { parse } from "./parser.ts";
import { SyntaxFault } from "./syntax_fault.ts";
import { TakesTooLong } from "./takes_too_long.ts";
import type { Clause, Leaf, Term } from "./tree.ts";
import { passing } from "./vocabulary.ts";
import { familiesOf } from "./vocabulary_families.ts";

const PATIENCE = 500;
const FARTHEST = 2;
/** Shorter words are near to everything. */
const SHORTEST = 3;
const MOST = 12;

/** The nearest first. Whoever offers them sees to it that each finds something for whoever asks. */
export async function corrected(text: string, searched: Searched): Promise<string[]> {
  const found: Array<{ query: string; far: number }> = [];
  for (const term of termsIn(text, searched)) {
    for (const name of await namesNear(term, searched)) {
      const query = text.slice(0, term.offset) + written(text, term, name) + text.slice(term.end);
      found.push({ query, far: distance(name, term.text.toLowerCase(), FARTHEST) });
    }
  }
  const nearest = found.toSorted((one, other) => one.far - other.far);
  return nearest.slice(0, MOST).map(({ query }) => query);
}

function termsIn(text: string, { aliases }: Searched): Term[] {
  try {
    const terms = leavesIn(parse(text, aliases)).filter((leaf) => leaf.kind === "term");
    return terms.filter((term) => [...term.text].length >= SHORTEST && !term.run).slice(0, 3);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return [];
    throw fault;
  }
}

function leavesIn(clause: Clause): Leaf[] {
  if (clause.kind !== "group") return [clause];
  return [...clause.must, ...clause.should].flatMap(leavesIn);
}

async function namesNear(term: Term, searched: Searched): Promise<string[]> {
  const text = term.text.toLowerCase();
  const meant = sourcesMeant(term.field, searched.sources).filter(isName);
  if (meant.length === 0) return [];
  try {
    const test = { kind: "near", text, distance: FARTHEST } as const;
    const values = await passing(familiesOf(meant, undefined), test, PATIENCE);
    const names = new Set(Object.values(values).flat());
    return [...names].filter((name) => name !== text && name !== "");
  } catch (fault) {
    if (fault instanceof TakesTooLong) return [];
    throw fault;
  }
}

function isName({ kind }: Source): boolean {
  return kind === "keyword";
}

const BARE = /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u;

function written(text: string, { field, offset, end }: Term, name: string): string {
  const said = text.slice(offset, end);
  const subject = field ? said.slice(0, said.indexOf(":") + 1) : "";
  return subject + (BARE.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`);
}
