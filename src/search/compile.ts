// From the tree of a query to a condition in SQL: each leaf is the set of the records that it is true of, found
// by indexes; groups join these sets. Every literal travels as a parameter.
import { type SQL, sql } from "drizzle-orm";
import { conditionsOn } from "./compile_value.ts";
import { variableSets } from "./compile_variables.ts";
import type { Searched, Source } from "./document.ts";
import { matches, pathGlob } from "./glob.ts";
import type { Clause, Exists, Field, Group, Leaf } from "./tree.ts";

/** True of the records that the query finds. */
export function compile(query: Group, searched: Searched, now: number): SQL {
  return ofGroup(query, { searched, now });
}

export interface Context {
  searched: Searched;
  now: number;
}

function ofGroup({ must, should, must_not }: Group, context: Context): SQL {
  const conditions = must.map((one) => ofClause(one, context));
  const isNothing = must.length + should.length + must_not.length === 0;
  if (isNothing) return sql`false`;
  if (must.length === 0 && should.length > 0) conditions.push(oneOf(should, context));
  conditions.push(...must_not.map((one) => sql`not ${ofClause(one, context)}`));
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function ofClause(clause: Clause, context: Context): SQL {
  if (clause.kind === "group") return ofGroup(clause, context);
  return clause.kind === "any" ? sql`true` : oneOf([clause], context);
}

/** One set for all of them, so that what is rare is found by its indexes whatever stands beside it. */
function oneOf(clauses: Clause[], context: Context): SQL {
  const { id } = context.searched;
  const sets = clauses.flatMap((one) => setsOf(one, context));
  return sets.length > 0 ? sql`(${id} in (${sql.join(sets, sql` union all `)}))` : sql`false`;
}

function setsOf(clause: Clause, context: Context): SQL[] {
  const { id, all } = context.searched;
  if (clause.kind === "group")
    return [sql`select ${id} from ${all} where ${ofGroup(clause, context)}`];
  if (clause.kind === "any") return [sql`select ${id} from ${all}`];
  return ofLeaf(clause, context);
}

function ofLeaf(leaf: Exclude<Leaf, { kind: "any" }>, context: Context): SQL[] {
  const { sources } = context.searched;
  const meant =
    leaf.kind === "exists"
      ? sources.filter((one) => isBeneath(one, leaf))
      : named(leaf.field, sources);
  const kept = meant.flatMap((source) =>
    conditionsOn(source, leaf, context.now).map(
      (condition) => sql`select ${source.id} from ${source.from} and ${condition}`,
    ),
  );
  return [...kept, ...variableSets(leaf, context)];
}

function named(field: Field | undefined, sources: readonly Source[]): readonly Source[] {
  if (!field) return sources.filter(({ repeats }) => !repeats);
  return sources.filter(({ path }) => field.paths.some((one) => matches(pathGlob(one), path)));
}

function isBeneath({ path }: Source, { field }: Exists): boolean {
  return field.paths.some(
    (one) => matches(pathGlob(one), path) || matches(pathGlob(`${one}.*`), path),
  );
}
