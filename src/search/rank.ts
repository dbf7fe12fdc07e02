// How well a record answers to a query: what is called just so comes first, then what is called something that begins
// so, then what has it elsewhere. Boosts multiply; among equals, more and higher boosted clauses win.
import { type Bits, both, either, keysIn, NONE, ofKeys, without } from "./bits.ts";
import type { Searched } from "./document.ts";
import { sourcesMeant } from "./document.ts";
import type { Clause, Field, Group, Leaf } from "./tree.ts";

/** Clauses beyond these are met, or not, but do not count in the order. */
const MOST_LEAVES = 32;
/** Records of lower scores stand together, in the order of their list. */
const MOST_TIERS = 64;
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
  const counting = scored
    .map((one) => ({ ...one, keys: both(one.keys, found) }))
    .filter(({ keys, best, sum }) => keys.length > 0 && (best > 0 || sum > 0));
  const any = counting.map(({ keys }) => keys).reduce(either, NONE);
  const groups = grouped(found.length * 32, any, counting);
  const sorted = groups.toSorted((one, other) => other.best - one.best || other.sum - one.sum);
  const tiers = sorted.slice(0, MOST_TIERS).map(({ keys }) => ofKeys(Uint32Array.from(keys)));
  const rest = without(found, tiers.reduce(either, NONE));
  return rest.some((word) => word !== 0) ? [...tiers, rest] : tiers;
}

interface Tier {
  best: number;
  sum: number;
  keys: number[];
}

function grouped(size: number, any: Bits, counting: readonly Scored[]): Tier[] {
  const bests = new Float64Array(size);
  const sums = new Float64Array(size);
  for (const { keys, best, sum } of counting) {
    for (const key of keysIn(keys)) {
      bests[key] = Math.max(bests[key] ?? 0, best);
      sums[key] = (sums[key] ?? 0) + sum;
    }
  }
  const groups = new Map<number, Map<number, Tier>>();
  for (const key of keysIn(any)) {
    const [best, sum] = [bests[key] ?? 0, sums[key] ?? 0];
    const bySum = groups.get(best) ?? new Map<number, Tier>();
    const tier = bySum.get(sum) ?? { best, sum, keys: [] };
    tier.keys.push(key);
    groups.set(best, bySum.set(sum, tier));
  }
  return [...groups.values()].flatMap((bySum) => [...bySum.values()]);
}
