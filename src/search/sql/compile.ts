// From the tree of a query to SQL: each leaf becomes statements that select the keys of what it
// finds, each answered by an index; groups combine them. Every literal travels as a parameter.
import { type SQL, sql } from "drizzle-orm";
import { integers } from "../../input/keys.ts";
import { literal } from "../../input/text.ts";
import {
  isPath,
  type SearchDocument,
  type SearchSource,
  sourcesOf,
  type Variables,
} from "../document.ts";
import type { Clause, ClauseGroup, Exists, Leaf, Phrase, Term, Terms } from "../language/tree.ts";
import { TRIGRAM } from "../language/words.ts";
import { TooMuch } from "../limits.ts";
import { conditionsOn, type FieldLeaf, startingWith } from "./conditions.ts";
import { isExpressible } from "./regex.ts";

interface CompileContext {
  document: SearchDocument;
  now: number;
  /** Statements so far. */
  statements?: number;
}

/** One condition, true of the records that the query finds. */
export function compile({ must, should, must_not }: ClauseGroup, context: CompileContext): SQL {
  if (must.length + should.length + must_not.length === 0) return sql`false`;
  const conditions = must.map((one) => compileClause(one, context));
  if (must.length === 0 && should.length > 0) conditions.push(anyOf(should, context));
  if (must_not.length > 0) conditions.push(sql`not ${anyOf(must_not, context)}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function compileClause(clause: Clause, context: CompileContext): SQL {
  if (clause.kind === "group") return compile(clause, context);
  return clause.kind === "any" ? sql`true` : anyOf([clause], context);
}

/** PostgreSQL takes half a second to plan so many. */
const MOST_STATEMENTS = 4_000;

/**
 * One list of keys for all clauses, so that rare values are found by their indexes even next to
 * common ones.
 */
function anyOf(clauses: Clause[], context: CompileContext): SQL {
  const { id } = context.document;
  const statements = mergeTerms(clauses).flatMap((one) => statementsForClause(one, context));
  context.statements = (context.statements ?? 0) + statements.length;
  if (context.statements > MOST_STATEMENTS) throw new TooMuch();
  return statements.length > 0
    ? sql`(${id} in (${sql.join(statements, sql` union all `)}))`
    : sql`false`;
}

function statementsForClause(clause: Clause | Terms, context: CompileContext): SQL[] {
  const { id, all } = context.document;
  if (clause.kind === "group")
    return [sql`select ${id} from ${all} where ${compile(clause, context)}`];
  if (clause.kind === "any") return [sql`select ${id} from ${all}`];
  return statementsFor(clause, context);
}

/** Statements that together select the keys of what a leaf finds; none if it can find nothing. */
export function statementsFor(leaf: FieldLeaf | Terms, context: CompileContext): SQL[] {
  if ("keys" in leaf && leaf.keys) {
    return [sql`select unnest(${integers(leaf.keys)})`];
  }
  const { sources } = context.document;
  const matching =
    leaf.kind === "exists"
      ? sources.filter((one) => isBeneath(one, leaf))
      : sourcesOf(leaf.field, sources);
  const statements = matching.flatMap((source) =>
    conditionsOn(source, leaf, context.now).map(
      (condition) => sql`select ${source.id} from ${source.from} and ${condition}`,
    ),
  );
  return [...statements, ...inVariables(leaf, context)];
}

/** Whether PostgreSQL reads a whole table, or most of it, for a leaf. */
export function isSlow(leaf: Leaf | Terms, { sources }: SearchDocument): boolean {
  switch (leaf.kind) {
    case "wildcard":
      return !leaf.glob.some((part) => typeof part === "string" && [...part].length >= TRIGRAM);
    case "range":
      // The index of words is not in their order.
      if (!leaf.from && !leaf.to) return false;
      return sourcesOf(leaf.field, sources).some(({ kind }) => kind === "text");
    case "regex":
      return !leaf.values && isExpressible(leaf.source);
    default:
      return false;
  }
}

function isBeneath({ path }: SearchSource, { field }: Exists): boolean {
  return field.paths.some((one) => isPath(path, one) || isPath(path, `${one}.*`));
}

// Terms joined by OR: a list of names that somebody has pasted ------------------------------------

// One by one they would be as many statements for each source; PostgreSQL looks up all of them in
// one.

/** The clauses of an OR, with the terms of each field taken together. */
export function mergeTerms(given: readonly Clause[]): Array<Clause | Terms> {
  const clauses = given.flatMap(flatten);
  const plain = clauses.filter(isPlainTerm);
  const fields = Map.groupBy(plain, ({ field }) => field?.name);
  const several = [...fields.values()].filter(({ length }) => length > 1);
  const inSome = new Set<Clause>(several.flat());
  return [...clauses.filter((one) => !inSome.has(one)), ...several.flatMap(together)];
}

/** Flattens nested ORs. */
function flatten(clause: Clause): Clause[] {
  if (clause.kind !== "group") return [clause];
  const { must, should, must_not } = clause;
  return must.length + must_not.length > 0 ? [clause] : should.flatMap(flatten);
}

function isPlainTerm(clause: Clause): clause is Term | Phrase {
  return clause.kind === "term" || (clause.kind === "phrase" && !clause.slop);
}

function together(terms: ReadonlyArray<Term | Phrase>): Terms[] {
  const [first] = terms;
  if (!first) return [];
  const { field, offset, end } = first;
  return [
    { kind: "terms", texts: terms.map(({ text }) => text), ...(field && { field }), offset, end },
  ];
}

// Variables, whose paths no list of sources can name ----------------------------------------------

function inVariables(leaf: FieldLeaf | Terms, { document, now }: CompileContext): SQL[] {
  const { variables } = document;
  if (!variables) return [];
  const places = placesOf(leaf, variables);
  if (places.length === 0) return [];
  const { id, from } = variables;
  const base = { path: variables.path, id, from };
  if (leaf.kind === "exists")
    return places.map((place) => sql`select ${id} from ${from} and ${place}`);
  const kinds: SearchSource[] = [
    { ...base, kind: "keyword", value: variables.text, lower: variables.text },
    { ...base, kind: "number", value: variables.number },
    { ...base, kind: "boolean", value: variables.truth },
  ];
  const conditions = kinds.flatMap((source) => conditionsOn(source, leaf, now));
  return places.flatMap((place) =>
    conditions.map((condition) => sql`select ${id} from ${from} and ${place} and ${condition}`),
  );
}

/**
 * Which variables the leaf is about: conditions that an index can answer, none if there can be no
 * such variable.
 */
function placesOf({ kind, field }: FieldLeaf | Terms, variables: Variables): SQL[] {
  if (!field) return [sql`true`];
  const paths =
    kind === "exists" ? field.paths.flatMap((path) => [path, `${path}.*`]) : field.paths;
  return paths.flatMap((path) => placeOf(path, variables));
}

function placeOf(path: string, { path: root, name }: Variables): SQL[] {
  if (path.includes("\0")) return [];
  const start = `${root}.`;
  const inside = path.slice(start.length);
  const [beginning = "", ...others] = inside.split("*");
  if (!path.startsWith(start)) {
    if (!path.includes("*")) return [];
    const pattern = path.split("*").map(literal).join("%");
    return [sql`${start}::text || ${name} like ${pattern}`];
  }
  if (others.length === 0) return [sql`${name} = ${inside}`];
  const within = startingWith(name, beginning);
  if (others.join("") === "") return [within];
  const pattern = inside.split("*").map(literal).join("%");
  return [sql`(${within} and ${name} like ${pattern})`];
}
