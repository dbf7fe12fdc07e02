// What no index of PostgreSQL can find is asked beforehand, apart from everybody else: a fuzzy term becomes the values
// that are near to it, and so does a regular expression that PostgreSQL has no words for; a leaf that makes it
// read everything becomes the keys of what it finds, or takes too long.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { Away } from "../../db/faults.ts";
import { type Context, setsOfLeaf } from "./compile.ts";
import { sourcesMeant } from "./document.ts";
import { readRegex } from "./lucene_regex.ts";
import { postgresRegex } from "./regex_postgres.ts";
import { TakesTooLong } from "./takes_too_long.ts";
import type { Clause, Fuzzy, Group, Leaf, Regex, Wildcard } from "./tree.ts";
import { passing } from "./vocabulary.ts";
import { familiesOf } from "./vocabulary_families.ts";

/** Milliseconds, for all of a query. */
const PATIENCE = 2_000;
/** What stands for more values than these is hardly what somebody looks for. */
const MOST_VALUES = 10_000;
/** Of wildcards: trigrams help with so many letters in a row. */
const TRIGRAM = 3;

export async function expand(query: Group, context: Context): Promise<Group> {
  const until = performance.now() + PATIENCE;
  return ofGroup(query, { context, until });
}

interface Expanding {
  context: Context;
  until: number;
}

async function ofGroup(group: Group, expanding: Expanding): Promise<Group> {
  const each = (clauses: Clause[]) => inTurn(clauses, (one) => ofClause(one, expanding));
  const { must, should, must_not } = group;
  return {
    ...group,
    must: await each(must),
    should: await each(should),
    must_not: await each(must_not),
  };
}

async function inTurn(
  clauses: Clause[],
  work: (clause: Clause) => Promise<Clause>,
): Promise<Clause[]> {
  const done: Clause[] = [];
  for (const clause of clauses) done.push(await work(clause));
  return done;
}

async function ofClause(clause: Clause, expanding: Expanding): Promise<Clause> {
  if (clause.kind === "group") return ofGroup(clause, expanding);
  if (clause.kind === "fuzzy") return nearby(clause, expanding);
  if (clause.kind === "regex") return matched(clause, expanding);
  return clause.kind === "wildcard" && isBroad(clause) ? asked(clause, expanding) : clause;
}

async function nearby(leaf: Fuzzy, expanding: Expanding): Promise<Leaf> {
  const text = leaf.text.toLowerCase();
  if (leaf.distance === 0) return { ...leaf, values: [text] };
  const values = await valuesOf(leaf, expanding, { kind: "near", text, distance: leaf.distance });
  return { ...leaf, values };
}

async function matched(leaf: Regex, expanding: Expanding): Promise<Leaf> {
  const regex = readRegex(leaf.source);
  if (!regex) return leaf;
  if (postgresRegex(regex.tree) !== undefined) return asked(leaf, expanding);
  return {
    ...leaf,
    values: await valuesOf(leaf, expanding, { kind: "matching", regex: leaf.source }),
  };
}

type Test = Parameters<typeof passing>[1];

async function valuesOf(
  { field }: Leaf,
  { context, until }: Expanding,
  test: Test,
): Promise<string[]> {
  const { sources, variables } = context.searched;
  const inVariables =
    !field || field.paths.some((path) => !sources.some((one) => one.path === path));
  const families = familiesOf(sourcesMeant(field, sources), inVariables ? variables : undefined);
  const values = await passing(families, test, left(until));
  if (values.length > MOST_VALUES) throw new TakesTooLong();
  return values;
}

/** By a statement of its own. */
async function asked(leaf: Regex | Wildcard, { context, until }: Expanding): Promise<Leaf> {
  const sets = setsOfLeaf(leaf, context);
  if (sets.length === 0) return { ...leaf, keys: [] };
  const found = await inTime(
    sql`select array_to_json(array(select distinct * from (${sql.join(sets, sql` union all `)}) found))::text as keys`,
    left(until),
  );
  return { ...leaf, keys: JSON.parse(found) };
}

async function inTime(query: SQL, patience: number): Promise<string> {
  try {
    const [row] = await database.aside<{ keys: string }>(query, patience);
    return row?.keys ?? "[]";
  } catch (fault) {
    throw fault instanceof Away && fault.late ? new TakesTooLong() : fault;
  }
}

function isBroad({ glob }: Wildcard): boolean {
  return !glob.some((part) => typeof part === "string" && [...part].length >= TRIGRAM);
}

function left(until: number): number {
  const patience = Math.ceil(until - performance.now());
  if (patience <= 0) throw new TakesTooLong();
  return patience;
}
