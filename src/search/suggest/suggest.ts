// "Did you mean": the same query with one of its words put right.

import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { Refusal } from "../../input/errors.ts";
import { distance } from "../language/edit_distance.ts";
import { parse } from "../language/parser.ts";
import { lowerOf, type Searched, type Source, sourcesMeant } from "../language/search_document.ts";
import { SyntaxFault } from "../language/syntax_error.ts";
import type { Clause, Leaf, Term } from "../language/tree.ts";
import { TakesTooLong } from "../limits/takes_too_long.ts";
import { type Looking, looking } from "./vocabulary.ts";
import { familiesOf } from "./vocabulary_families.ts";

const PATIENCE = 500;
const FARTHEST = 2;
/** Shorter words are near to everything. */
const SHORTEST = 3;
const MOST = 12;

/** True of a record, by its key, that whoever asks may know of. */
export type MayKnow = (key: SQL) => SQL;

/** The nearest first. Whoever offers them sees to it that each finds something for whoever asks. */
export async function corrected(
  text: string,
  searched: Searched,
  mayKnow: MayKnow,
): Promise<string[]> {
  const found: Array<{ query: string; far: number }> = [];
  const vocabulary = looking();
  for (const term of termsIn(text, searched)) {
    for (const name of await namesNear(term, { searched, mayKnow, vocabulary })) {
      const query = text.slice(0, term.offset) + written(text, term, name) + text.slice(term.end);
      found.push({ query, far: distance(name, term.text.toLowerCase(), FARTHEST) });
    }
  }
  await vocabulary.end();
  const nearest = found.toSorted(
    (one, other) => one.far - other.far || (one.query < other.query ? -1 : 1),
  );
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

interface Guessing {
  searched: Searched;
  mayKnow: MayKnow;
  vocabulary: Looking;
}

async function namesNear(
  term: Term,
  { searched, mayKnow, vocabulary }: Guessing,
): Promise<string[]> {
  const text = term.text.toLowerCase();
  const meant = sourcesMeant(term.field, searched.sources).filter(isName);
  if (meant.length === 0) return [];
  try {
    const test = { kind: "near", text, distance: FARTHEST } as const;
    const until = performance.now() + PATIENCE;
    const values = await vocabulary.passing(familiesOf(meant, undefined), test, until);
    const names = await namesOfThese(meant, values, mayKnow);
    return names.filter((name) => name !== text && name !== "");
  } catch (fault) {
    if (fault instanceof TakesTooLong || fault instanceof Refusal) return [];
    throw fault;
  }
}

/** Before they are counted: what is hidden, or has gone, is not to take the place of others. */
async function namesOfThese(
  meant: readonly Source[],
  values: Record<string, string[]>,
  mayKnow: MayKnow,
): Promise<string[]> {
  const possible = meant
    .map((source) => ({ source, near: (values[source.path] ?? []).filter(isPossible) }))
    .filter(({ near }) => near.length > 0);
  const told = await database.together<{ name: string }>(
    possible.map(({ source, near }) => {
      const { id, from } = source;
      return sql`select near.name from unnest(${sql.param(near)}::text[]) near (name)
        where exists (select from ${from} and ${lowerOf(source)} = near.name and ${mayKnow(id)})`;
    }),
  );
  return [...new Set(told.flat().map(({ name }) => name))];
}

/** PostgreSQL has no text with NUL in it. */
function isPossible(text: string): boolean {
  return !text.includes("\0");
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
