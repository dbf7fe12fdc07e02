// Relevance: a record whose name is the text of a term comes first, then names that start with it,
// then records that have it elsewhere. Boosts multiply; among equals, more and higher boosted
// clauses win.
import { difference, intersection, isEmpty, type KeySet, union } from "./cache/key_set.ts";
import { type SearchDocument, sourcesOf } from "./document.ts";
import type { Clause, ClauseGroup, Leaf, QueryField } from "./language/tree.ts";

/** Only the first leaves count in the order. */
const MOST_LEAVES = 16;
/** Records with lower scores share the last tier. */
const MOST_TIERS = 16;
const EXACT = 4;
const START = 2;
const ANYWHERE = 1;

interface Score {
  leaf: Leaf;
  /** The highest of these decides, then the sum of `sum`. */
  best: number;
  sum: number;
}

/** What counts in the order, each with a leaf that finds the records for which it counts. */
export function scoresOf(query: ClauseGroup, document: SearchDocument): Score[] {
  const counted = [...boostedLeaves(query, 1)].slice(0, MOST_LEAVES);
  return counted.flatMap(({ leaf, boost }) => [
    { leaf, best: ANYWHERE * boost, sum: boost },
    ...namesOf(leaf, document).map(({ weight, name }) => ({
      leaf: name,
      best: weight * boost,
      sum: 0,
    })),
  ]);
}

interface Boosted {
  leaf: Leaf;
  boost: number;
}

/** Excluded clauses do not count. */
function* boostedLeaves(clause: Clause, outer: number): Generator<Boosted> {
  const boost = outer * (clause.boost ?? 1);
  if (clause.kind !== "group") yield { leaf: clause, boost };
  else for (const one of [...clause.must, ...clause.should]) yield* boostedLeaves(one, boost);
}

/** The text of a leaf as a whole name and as the start of one, if the leaf is about names. */
function namesOf(leaf: Leaf, document: SearchDocument): Array<{ weight: number; name: Leaf }> {
  const { names = ["name"] } = document;
  const text = textOf(leaf);
  const sources = sourcesOf(leaf.field, document.sources).filter(({ path }) =>
    names.includes(path),
  );
  if (text === undefined || sources.length === 0) return [];
  const paths = sources.map(({ path }) => path);
  const field: QueryField = { name: paths.join(" "), paths };
  const { offset, end } = leaf;
  return [
    { weight: EXACT, name: { kind: "term", text, field, offset, end } },
    { weight: START, name: { kind: "prefix", text, field, offset, end } },
  ];
}

/** The text that a leaf looks for; of `*arch*` the part between the stars. */
function textOf(leaf: Leaf): string | undefined {
  switch (leaf.kind) {
    case "term":
    case "phrase":
    case "prefix":
    case "fuzzy":
      return leaf.text === "" ? undefined : leaf.text;
    case "wildcard": {
      const texts = leaf.glob.filter((part) => typeof part === "string");
      return texts.length === 1 ? texts[0] : undefined;
    }
    default:
      return undefined;
  }
}

interface Scored extends Omit<Score, "leaf"> {
  keys: KeySet;
}

/** Divides what was found into sets of equal scores, the highest first. */
export function tiersOf(found: KeySet, scored: readonly Scored[]): KeySet[] {
  let tiers: Scored[] = [{ best: 0, sum: 0, keys: found }];
  // By combining sets, because a look at each key would take as long as there are keys.
  for (const one of scored) tiers = joinTiers(tiers.flatMap((tier) => split(tier, one)));
  return tiers.map(({ keys }) => keys).filter((keys) => !isEmpty(keys));
}

function split(tier: Scored, { best, sum, keys }: Scored): Scored[] {
  const inside = intersection(tier.keys, keys);
  if (isEmpty(inside)) return [tier];
  const outside = { ...tier, keys: difference(tier.keys, inside) };
  return [{ best: Math.max(tier.best, best), sum: tier.sum + sum, keys: inside }, outside];
}

/** Sorted, with equal tiers joined, and the lowest ones too if there are many. */
function joinTiers(tiers: Scored[]): Scored[] {
  const sorted = tiers
    .filter(({ keys }) => !isEmpty(keys))
    .toSorted((one, other) => other.best - one.best || other.sum - one.sum);
  const joined: Scored[] = [];
  for (const tier of sorted) {
    const last = joined.at(-1);
    const isEqual = last?.best === tier.best && last.sum === tier.sum;
    if (last && (isEqual || joined.length === MOST_TIERS)) {
      joined[joined.length - 1] = { ...last, keys: union(last.keys, tier.keys) };
    } else joined.push(tier);
  }
  return joined;
}
