// What a query finds, as a set of keys: PostgreSQL finds the set of each leaf by a statement of its own, which it has
// planned before, and here groups join these sets. All of it is as it was at one moment.
import { type SQL, sql } from "drizzle-orm";
import { type Bits, both, either, NONE, without } from "./cache/key_set.ts";
import { type Asked, type Following, type Heard, setsFor, setsNow } from "./cache/result_cache.ts";
import { isSlow } from "./expand_terms.ts";
import type { Any, Clause, Group, Leaf, Terms } from "./language/tree.ts";
import { TooMuch } from "./limits/takes_too_long.ts";
import { turns } from "./limits/time_slices.ts";
import { tiersOf, weightsOf } from "./rank.ts";
import { type Context, setsOfLeaf } from "./sql/compile.ts";
import { merged } from "./sql/merged_terms.ts";

/** Each is a statement of its own. */
const MOST_LEAVES = 500;

export interface Evaluating extends Context {
  /** Sets are kept by its help. */
  following?: Following;
  /** The keys of those that are to be left out, as a statement. */
  hidden?: SQL | undefined;
  /** They are wanted in tiers, the best first. */
  isRanked?: boolean | undefined;
  /** By performance.now(): what is not found by then takes too long. */
  until: number;
}

export interface Evaluated {
  keys: Bits;
  /** Where they are ranked: the same keys, the best first. */
  tiers: Bits[];
  news?: Heard | undefined;
}

export async function evaluate(query: Group, context: Evaluating): Promise<Evaluated> {
  const asked = new Map<string, Asked>();
  const joined = ofGroup(query, { context, asked });
  const { hidden, following, until, isRanked = false } = context;
  const weights = isRanked ? weightsOf(query, context.searched) : [];
  const weighed = weights.map((one) => ({ ...one, name: asking(one.leaf, { context, asked }) }));
  if (hidden) asked.set(HIDDEN, { name: HIDDEN, sets: () => [hidden], isSlow: false });
  if (asked.size > MOST_LEAVES) throw new TooMuch();
  const all = [...asked.values()];
  const { sets, news } = following
    ? await setsFor(all, following, until)
    : { sets: await setsNow(all, until), news: undefined };
  const joining = { sets, pause: turns() };
  const found = await joined(joining);
  const keys = hidden ? without(found, named(sets, HIDDEN)) : found;
  const scored = weighed.map(({ name, best, sum }) => ({ best, sum, keys: named(sets, name) }));
  return { keys, tiers: isRanked ? tiersOf(keys, scored) : [], news };
}

const HIDDEN = "hidden";
const ANY: Any = { kind: "any", offset: 0, end: 0 };

type Sets = ReadonlyMap<string, Bits>;

interface Joining {
  sets: Sets;
  pause: ReturnType<typeof turns>;
}

/** Made before there are any sets, to learn which are wanted. */
type Joined = (joining: Joining) => Promise<Bits>;

interface Gathering {
  context: Context;
  asked: Map<string, Asked>;
}

function ofGroup({ must, should, must_not }: Group, gathering: Gathering): Joined {
  const required = must.map((one) => ofClause(one, gathering));
  if (must.length === 0 && should.length > 0) required.push(oneOf(should, gathering));
  if (required.length === 0 && must_not.length > 0) required.push(ofLeaf(ANY, gathering));
  const prohibited = oneOf(must_not, gathering);
  return async (joining) => {
    const found = await folded(required, both, joining);
    return must_not.length > 0 ? without(found, await prohibited(joining)) : found;
  };
}

function oneOf(clauses: Clause[], gathering: Gathering): Joined {
  const each = merged(clauses).map((one) => ofClause(one, gathering));
  return (joining) => folded(each, either, joining);
}

async function folded(
  [first, ...others]: readonly Joined[],
  join: (one: Bits, other: Bits) => Bits,
  joining: Joining,
): Promise<Bits> {
  let all = first ? await first(joining) : NONE;
  for (const one of others) {
    all = join(all, await one(joining));
    await joining.pause();
  }
  return all;
}

function ofClause(clause: Clause | Terms, gathering: Gathering): Joined {
  return clause.kind === "group" ? ofGroup(clause, gathering) : ofLeaf(clause, gathering);
}

function ofLeaf(leaf: Leaf | Terms, gathering: Gathering): Joined {
  const name = asking(leaf, gathering);
  return async ({ sets }) => named(sets, name);
}

/** The name under which its set is found. */
function asking(leaf: Leaf | Terms, { context, asked }: Gathering): string {
  const name = nameOf(leaf, context);
  if (!asked.has(name))
    asked.set(name, {
      name,
      sets: () => setsOf(leaf, context),
      isSlow: isSlow(leaf, context.searched),
    });
  return name;
}

function setsOf(leaf: Leaf | Terms, context: Context): SQL[] {
  const { id, all } = context.searched;
  return leaf.kind === "any" ? [sql`select ${id} from ${all}`] : setsOfLeaf(leaf, context);
}

/** The same wherever it stands in a text, in quotes or not, and however its field was written. */
function nameOf(leaf: Leaf | Terms, { now }: Context): string {
  const { field, offset: _, end: __, boost: ___, ...rest } = leaf;
  const kind = leaf.kind === "phrase" && !leaf.slop ? "term" : leaf.kind;
  const name = JSON.stringify([field?.paths, { ...rest, run: undefined, kind }]);
  return /now/i.test(name) ? `${now} ${name}` : name;
}

function named(sets: Sets, name: string): Bits {
  return sets.get(name) ?? NONE;
}
