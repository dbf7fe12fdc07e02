// From the tree of a query to a condition in SQL: each leaf is the set of the records that it is true of, found
// by indexes; groups join these sets. Every literal travels as a parameter.
import { type SQL, sql } from "drizzle-orm";
import { integers } from "../../input/keys.ts";
import { matches, pathGlob } from "../language/glob.ts";
import { type Searched, type Source, sourcesMeant } from "../language/search_document.ts";
import type { Any, Clause, Exists, Group, Leaf, Terms } from "../language/tree.ts";
import { TooMuch } from "../limits/takes_too_long.ts";
import { merged } from "./merged_terms.ts";
import { conditionsOn } from "./value.ts";
import { variableSets } from "./variables.ts";

/** True of the records that the query finds. */
export function compile(query: Group, context: Context): SQL {
  return ofGroup(query, context);
}

export interface Context {
  searched: Searched;
  now: number;
  /** What is slow is asked, and kept, leaf by leaf. */
  keeps?: boolean;
  /** How many have come together so far. */
  sets?: number;
}

/** PostgreSQL plans each of them: these take it half a second. */
const MOST_SETS = 4_000;

function ofGroup({ must, should, must_not }: Group, context: Context): SQL {
  const conditions = must.map((one) => ofClause(one, context));
  const isNothing = must.length + should.length + must_not.length === 0;
  if (isNothing) return sql`false`;
  if (must.length === 0 && should.length > 0) conditions.push(oneOf(should, context));
  if (must_not.length > 0) conditions.push(sql`not ${oneOf(must_not, context)}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function ofClause(clause: Clause, context: Context): SQL {
  if (clause.kind === "group") return ofGroup(clause, context);
  return clause.kind === "any" ? sql`true` : oneOf([clause], context);
}

/** One set for all of them, so that what is rare is found by its indexes whatever stands beside it. */
function oneOf(clauses: Clause[], context: Context): SQL {
  const { id } = context.searched;
  const sets = merged(clauses).flatMap((one) => setsOf(one, context));
  context.sets = (context.sets ?? 0) + sets.length;
  if (context.sets > MOST_SETS) throw new TooMuch();
  return sets.length > 0 ? sql`(${id} in (${sql.join(sets, sql` union all `)}))` : sql`false`;
}

function setsOf(clause: Clause | Terms, context: Context): SQL[] {
  const { id, all } = context.searched;
  if (clause.kind === "group")
    return [sql`select ${id} from ${all} where ${ofGroup(clause, context)}`];
  if (clause.kind === "any") return [sql`select ${id} from ${all}`];
  return setsOfLeaf(clause, context);
}

/** The keys of what it finds, in several sets; none where it can find nothing. */
export function setsOfLeaf(leaf: Exclude<Leaf, Any> | Terms, context: Context): SQL[] {
  if ("keys" in leaf && leaf.keys) {
    return [sql`select unnest(${integers(leaf.keys)})`];
  }
  const { sources } = context.searched;
  const meant =
    leaf.kind === "exists"
      ? sources.filter((one) => isBeneath(one, leaf))
      : sourcesMeant(leaf.field, sources);
  const kept = meant.flatMap((source) =>
    conditionsOn(source, leaf, context.now).map(
      (condition) => sql`select ${source.id} from ${source.from} and ${condition}`,
    ),
  );
  return [...kept, ...variableSets(leaf, context)];
}

function isBeneath({ path }: Source, { field }: Exists): boolean {
  return field.paths.some(
    (one) => matches(pathGlob(one), path) || matches(pathGlob(`${one}.*`), path),
  );
}
