// What a query finds: PostgreSQL selects the keys of each term by a statement that it has planned
// before, and the groups of the query combine these sets here. All sets are from one snapshot of
// the data.
import { type SQL, sql } from "drizzle-orm";
import { difference, EMPTY, intersection, type KeySet, union } from "./cache/key_set.ts";
import {
  type ChangedKeys,
  cachedKeySets,
  freshKeySets,
  type KeyQuery,
} from "./cache/result_cache.ts";
import type { SearchDocument } from "./document.ts";
import type { Any, Clause, ClauseGroup, Leaf, Terms } from "./language/tree.ts";
import { TooMuch, yieldRegularly } from "./limits.ts";
import { scoresOf, tiersOf } from "./rank.ts";
import { isSlow, mergeTerms, statementsFor } from "./sql/compile.ts";

/** Each term is a statement of its own. */
const MOST_TERMS = 500;

interface Evaluation {
  document: SearchDocument;
  now: number;
  /** By performance.now(). */
  until: number;
  /** Results in tiers, the best first. */
  isRanked?: boolean | undefined;
}

export interface Evaluated {
  keys: KeySet;
  /** The same keys in tiers, if ranked. */
  tiers: KeySet[];
  /** The changes that were read on the way. */
  changes?: ChangedKeys | undefined;
}

export async function evaluate(query: ClauseGroup, evaluation: Evaluation): Promise<Evaluated> {
  const { document, isRanked = false } = evaluation;
  const { hidden } = document;
  const queries = new Map<string, KeyQuery>();
  const collecting = { evaluation, queries };
  const plan = planGroup(query, collecting);
  const scores = (isRanked ? scoresOf(query, document) : []).map((score) => ({
    ...score,
    name: addQuery(score.leaf, collecting),
  }));
  const hiddenName = `${prefixOf(document)} hidden`;
  if (hidden) {
    queries.set(hiddenName, { name: hiddenName, statements: () => [hidden], isSlow: false });
  }
  if (queries.size > MOST_TERMS) throw new TooMuch();
  const { sets, changes } = await keySetsOf([...queries.values()], evaluation);
  const found = await plan({ sets, pause: yieldRegularly() });
  const keys = hidden ? difference(found, keySetOf(sets, hiddenName)) : found;
  const scored = scores.map(({ name, best, sum }) => ({ best, sum, keys: keySetOf(sets, name) }));
  return { keys, tiers: isRanked ? tiersOf(keys, scored) : [], changes };
}

async function keySetsOf(
  queries: readonly KeyQuery[],
  { document: { tracked }, until }: Evaluation,
) {
  if (tracked) return cachedKeySets(queries, { tracked, until });
  return { sets: await freshKeySets(queries, until), changes: undefined };
}

// Plans: how the sets of a query are combined -----------------------------------------------------

const ANY: Any = { kind: "any", offset: 0, end: 0 };

type Sets = ReadonlyMap<string, KeySet>;

interface CombineContext {
  sets: Sets;
  pause: ReturnType<typeof yieldRegularly>;
}

/** Created before any set is known, in order to collect the queries for them. */
type EvaluationPlan = (combining: CombineContext) => Promise<KeySet>;

interface CollectContext {
  evaluation: Evaluation;
  queries: Map<string, KeyQuery>;
}

function planGroup(
  { must, should, must_not }: ClauseGroup,
  collecting: CollectContext,
): EvaluationPlan {
  const required = must.map((one) => planClause(one, collecting));
  if (must.length === 0 && should.length > 0) required.push(planAny(should, collecting));
  if (required.length === 0 && must_not.length > 0) required.push(planLeaf(ANY, collecting));
  const prohibited = planAny(must_not, collecting);
  return async (combining) => {
    const found = await combine(required, intersection, combining);
    return must_not.length > 0 ? difference(found, await prohibited(combining)) : found;
  };
}

function planAny(clauses: Clause[], collecting: CollectContext): EvaluationPlan {
  const each = mergeTerms(clauses).map((one) => planClause(one, collecting));
  return (combining) => combine(each, union, combining);
}

async function combine(
  [first, ...others]: readonly EvaluationPlan[],
  by: (one: KeySet, other: KeySet) => KeySet,
  combining: CombineContext,
): Promise<KeySet> {
  let all = first ? await first(combining) : EMPTY;
  for (const one of others) {
    all = by(all, await one(combining));
    await combining.pause();
  }
  return all;
}

function planClause(clause: Clause | Terms, collecting: CollectContext): EvaluationPlan {
  return clause.kind === "group" ? planGroup(clause, collecting) : planLeaf(clause, collecting);
}

function planLeaf(leaf: Leaf | Terms, collecting: CollectContext): EvaluationPlan {
  const name = addQuery(leaf, collecting);
  return async ({ sets }) => keySetOf(sets, name);
}

/** Returns the name under which the set of a leaf is cached. */
function addQuery(leaf: Leaf | Terms, { evaluation, queries }: CollectContext): string {
  const name = nameOf(leaf, evaluation);
  if (!queries.has(name)) {
    queries.set(name, {
      name,
      statements: () => statementsOf(leaf, evaluation),
      isSlow: isSlow(leaf, evaluation.document),
    });
  }
  return name;
}

function statementsOf(leaf: Leaf | Terms, { document, now }: Evaluation): SQL[] {
  const { id, all } = document;
  return leaf.kind === "any"
    ? [sql`select ${id} from ${all}`]
    : statementsFor(leaf, { document, now });
}

/**
 * The same for equal leaves, wherever they are and however their field and their text were
 * written.
 */
function nameOf(leaf: Leaf | Terms, { document, now }: Evaluation): string {
  const { field, offset: _, end: __, boost: ___, ...rest } = leaf;
  const kind = leaf.kind === "phrase" && !leaf.slop ? "term" : leaf.kind;
  const name = JSON.stringify([field?.paths, { ...rest, run: undefined, kind }]);
  return `${prefixOf(document)} ${/now/i.test(name) ? now : ""} ${name}`;
}

function prefixOf({ tracked, edition = "" }: SearchDocument): string {
  return `${tracked?.name ?? ""}${edition}`;
}

function keySetOf(sets: Sets, name: string): KeySet {
  return sets.get(name) ?? EMPTY;
}
