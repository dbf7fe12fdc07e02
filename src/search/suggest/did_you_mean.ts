// Alternatives to a query that found nothing: words apart, a word corrected,
// another field. What is offered finds something that the caller may see.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { Refusal } from "../../input/errors.ts";
import { lowerOf, type SearchDocument, type SearchSource, sourcesOf } from "../document.ts";
import { tryParse } from "../language/parser.ts";
import type { Clause, leavesOf, Term, Word } from "../language/tree.ts";
import { isPlainText, splitPhrases } from "../language/typed_text.ts";
import { distance } from "../language/words.ts";
import { TakesTooLong } from "../limits.ts";
import { type VocabularyReader, vocabularyReader } from "./vocabulary.ts";
import { wordListsOf } from "./word_lists.ts";

export interface Offers {
  /** The query with any, or all, of the words that stood side by side and so were one text. */
  any?: string;
  all?: string;
  /** The query with a word corrected. */
  corrected: string[];
}

export interface Offering {
  document: SearchDocument;
  /** The condition for records that are visible to the caller, by key. */
  mayKnow: (key: SQL) => SQL;
  /** Whether a query finds anything for the caller. */
  finds: (query: string) => Promise<boolean>;
}

const MOST_OFFERS = 3;
/** Milliseconds for all corrections. */
const TIME_LIMIT = 1_000;

export async function didYouMean(query: string, offering: Offering): Promise<Offers> {
  const [any, all, corrected] = await Promise.all([
    withWordsApart(query, "OR", offering),
    isPlainText(query) ? undefined : withWordsApart(query, "AND", offering),
    correctionsOf(query, offering),
  ]);
  return { any, all, corrected };
}

/** "Did you mean": the query with a word corrected. */
export async function correctionsOf(query: string, offering: Offering): Promise<string[]> {
  const offered: string[] = [];
  const until = performance.now() + TIME_LIMIT;
  for (const one of await candidatesFor(query, offering)) {
    if (offered.length === MOST_OFFERS || performance.now() > until) break;
    if (await isFound(one, offering)) offered.push(one);
  }
  return offered;
}

/** By whole words, or else by words that contain them. */
async function withWordsApart(
  query: string,
  by: "OR" | "AND",
  offering: Offering,
): Promise<string | undefined> {
  const group = tryParse(query, offering.document.aliases);
  if (!group) return undefined;
  for (const around of ["", "*"]) {
    const text = splitPhrases(query, group, { by, around });
    if (text !== undefined && (await isFound(text, offering))) return text;
  }
  return undefined;
}

/** A query that is refused is not offered. */
async function isFound(query: string, { finds }: Offering): Promise<boolean> {
  try {
    return await finds(query);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

// Corrections -------------------------------------------------------------------------------------

/** Milliseconds for each word. */
const PATIENCE_FOR_WORD = 500;
const MOST_DISTANCE = 2;
/** Shorter words are similar to everything. */
const SHORTEST = 3;
const MOST_TERMS = 3;
const MOST_CANDIDATES = 12;

/** The nearest first. */
async function candidatesFor(query: string, offering: Offering): Promise<string[]> {
  const vocabulary = vocabularyReader(offering.document.user);
  const candidates = await candidatesIn(vocabulary, query, offering).finally(vocabulary.end);
  const nearest = candidates.toSorted(
    (one, other) => one.far - other.far || (one.query < other.query ? -1 : 1),
  );
  return nearest.slice(0, MOST_CANDIDATES).map((one) => one.query);
}

interface Candidate {
  query: string;
  far: number;
}

async function candidatesIn(
  vocabulary: VocabularyReader,
  query: string,
  offering: Offering,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const term of termsIn(query, offering.document)) {
    for (const name of await namesLike(term, offering, vocabulary)) {
      candidates.push({
        query: query.slice(0, term.offset) + written(query, term, name) + query.slice(term.end),
        far: distance(name, term.text.toLowerCase(), MOST_DISTANCE),
      });
    }
  }
  return candidates;
}

function termsIn(query: string, { aliases }: SearchDocument): Term[] {
  const group = tryParse(query, aliases);
  const terms = group ? positiveLeavesOf(group).filter((leaf) => leaf.kind === "term") : [];
  return terms
    .flatMap((term) => term.run?.map(asTerm) ?? [term])
    .filter(({ text }) => [...text].length >= SHORTEST)
    .slice(0, MOST_TERMS);
}

/** A comma behind a word separates it from the next one. */
function asTerm({ text, offset, end }: Word): Term {
  const word = text.replace(/[,;]+$/, "");
  return { kind: "term", text: word, offset, end: end - text.length + word.length };
}

function positiveLeavesOf(clause: Clause): ReturnType<typeof leavesOf> {
  if (clause.kind !== "group") return [clause];
  return [...clause.must, ...clause.should].flatMap(positiveLeavesOf);
}

async function namesLike(
  term: Term,
  { document, mayKnow }: Offering,
  vocabulary: VocabularyReader,
): Promise<string[]> {
  const text = term.text.toLowerCase();
  const sources = sourcesOf(term.field, document.sources).filter(({ kind }) => kind === "keyword");
  if (sources.length === 0) return [];
  try {
    const test = { kind: "similar", text, distance: MOST_DISTANCE } as const;
    const until = performance.now() + PATIENCE_FOR_WORD;
    const values = await vocabulary.find(wordListsOf(sources, undefined), test, until);
    const names = await knownNames(sources, values, mayKnow);
    // A word that somebody has used is not misspelt.
    return names.includes(text) ? [] : names.filter((name) => name !== "");
  } catch (error) {
    if (error instanceof TakesTooLong || error instanceof Refusal) return [];
    throw error;
  }
}

/**
 * Checked before they are counted, so that hidden and deleted names do not take the place of
 * others.
 */
async function knownNames(
  sources: readonly SearchSource[],
  values: Record<string, string[]>,
  mayKnow: Offering["mayKnow"],
): Promise<string[]> {
  const possible = sources
    .map((source) => ({ source, names: (values[source.path] ?? []).filter(isStorable) }))
    .filter(({ names }) => names.length > 0);
  const known = await database.rowsInSnapshot<{ name: string }>(
    possible.map(({ source, names }) => {
      const { id, from } = source;
      return sql`select near.name from unnest(${sql.param(names)}::text[]) near (name)
        where exists (select from ${from} and ${lowerOf(source)} = near.name and ${mayKnow(id)})`;
    }),
  );
  return [...new Set(known.flat().map(({ name }) => name))];
}

/** PostgreSQL stores no text with NUL in it. */
function isStorable(text: string): boolean {
  return !text.includes("\0");
}

const BARE = /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u;

/** The term as it would be written with this name. */
function written(query: string, { field, offset, end }: Term, name: string): string {
  const text = query.slice(offset, end);
  const subject = field ? text.slice(0, text.indexOf(":") + 1) : "";
  return subject + (BARE.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`);
}
