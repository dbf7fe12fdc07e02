// How well a record answers to a query: what is called just so comes first, then what is called something that begins
// so, then what has it elsewhere. Boosts multiply; among equals, more and higher boosted clauses win.
import { type Bits, both, either, isEmpty, without } from "./cache/key_set.ts";
import type { Searched } from "./language/search_document.ts";
import { sourcesMeant } from "./language/search_document.ts";
import type { Clause, Field, Group, Leaf } from "./language/tree.ts";

/** Clauses beyond these are met, or not, but do not count in the order. */
const MOST_LEAVES = 16;
/** Records of lower scores stand together, in the order of their list. */
const MOST_TIERS = 16;
const EXACT = 4;
const START = 2;
const ANYWHERE = 1;

export interface Weighted {
  leaf: Leaf;
  /** The best of these decides; then their sum. */
  best: number;
  sum: number;
}

/** What counts in the order, each as a leaf that finds the records for which it does. */
export function weightsOf(query: Group, searched: Searched): Weighted[] {
  const counted = [...countedIn(query, 1)].slice(0, MOST_LEAVES);
  return counted.flatMap(({ leaf, boost }) => [
    { leaf, best: ANYWHERE * boost, sum: boost },
    ...namesOf(leaf, searched).map(({ weight, name }) => ({
      leaf: name,
      best: weight * boost,
      sum: 0,
    })),
  ]);
}

interface Counted {
  leaf: Leaf;
  boost: number;
}

/** What is excluded says nothing of the order. */
function* countedIn(clause: Clause, outer: number): Generator<Counted> {
  const boost = outer * (clause.boost ?? 1);
  if (clause.kind !== "group") yield { leaf: clause, boost };
  else for (const one of [...clause.must, ...clause.should]) yield* countedIn(one, boost);
}

/** The same text as all of a name, and as its beginning, where the leaf may mean names. */
function namesOf(leaf: Leaf, searched: Searched): Array<{ weight: number; name: Leaf }> {
  const { names = ["name"] } = searched;
  const text = textOf(leaf);
  const meant = sourcesMeant(leaf.field, searched.sources).filter(({ path }) =>
    names.includes(path),
  );
  if (text === undefined || meant.length === 0) return [];
  const paths = meant.map(({ path }) => path);
  const field: Field = { name: paths.join(" "), paths };
  const { offset, end } = leaf;
  return [
    { weight: EXACT, name: { kind: "term", text, field, offset, end } },
    { weight: START, name: { kind: "prefix", text, field, offset, end } },
  ];
}

/** What somebody who wrote this had in mind; of `*arch*` it is what stands between the stars. */
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

export interface Scored extends Omit<Weighted, "leaf"> {
  keys: Bits;
}

/** What was found, in sets of equal scores, the highest first. Together they are all of it. */
export function tiersOf(found: Bits, scored: readonly Scored[]): Bits[] {
  let tiers: Scored[] = [{ best: 0, sum: 0, keys: found }];
  // By the sets alone: to look at each key would take as long as there are keys.
  for (const one of scored) tiers = fewer(tiers.flatMap((tier) => split(tier, one)));
  return tiers.map(({ keys }) => keys).filter((keys) => !isEmpty(keys));
}

function split(tier: Scored, { best, sum, keys }: Scored): Scored[] {
  const inside = both(tier.keys, keys);
  if (isEmpty(inside)) return [tier];
  const outside = { ...tier, keys: without(tier.keys, inside) };
  return [{ best: Math.max(tier.best, best), sum: tier.sum + sum, keys: inside }, outside];
}

/** The highest first, equals as one, and the lowest as one where there are many. */
function fewer(tiers: Scored[]): Scored[] {
  const sorted = tiers
    .filter(({ keys }) => !isEmpty(keys))
    .toSorted((one, other) => other.best - one.best || other.sum - one.sum);
  const joined: Scored[] = [];
  for (const tier of sorted) {
    const last = joined.at(-1);
    const isEqual = last?.best === tier.best && last.sum === tier.sum;
    if (last && (isEqual || joined.length === MOST_TIERS)) {
      joined[joined.length - 1] = { ...last, keys: either(last.keys, tier.keys) };
    } else joined.push(tier);
  }
  return joined;
}
