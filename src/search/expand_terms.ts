// What no index of PostgreSQL can find is asked beforehand, apart from everybody else: a fuzzy term becomes the values
// that are near to it, and so does a regular expression that PostgreSQL has no words for; a leaf that makes it
// read everything becomes the keys of what it finds, or takes too long.
import { sql } from "drizzle-orm";
import { LONGEST_OF_MANY_FUZZY, MOST_FUZZY_TERMS } from "../input/limits.ts";
import { LONGEST_NEAR } from "./language/edit_distance.ts";
import { readRegex } from "./language/lucene_regex.ts";
import { type Searched, sourcesMeant } from "./language/search_document.ts";
import type { Clause, Fuzzy, Group, Leaf, Range, Regex, Terms, Wildcard } from "./language/tree.ts";
import { slowly } from "./limits/deadline.ts";
import { TooMuch } from "./limits/takes_too_long.ts";
import { turns } from "./limits/time_slices.ts";
import { type Context, setsOfLeaf } from "./sql/compile.ts";
import { regexCondition } from "./sql/regex.ts";
import { type Looking, looking, MOST_VALUES, makeReady } from "./suggest/vocabulary.ts";
import { familiesOf } from "./suggest/vocabulary_families.ts";

/** Of wildcards: trigrams help with so many letters in a row. */
const TRIGRAM = 3;

export async function expand(query: Group, context: Context, until: number): Promise<Group> {
  const { keeps, searched } = context;
  refuseMuch(query);
  if (keeps) makeReady(() => familiesOf(searched.sources, searched.variables));
  const vocabulary = looking();
  return ofGroup(query, { context, until, vocabulary, pause: turns() }).finally(vocabulary.end);
}

/** Refused beforehand, so that the answer does not depend on how busy the machine is. */
const MOST_WORK = MOST_FUZZY_TERMS * LONGEST_OF_MANY_FUZZY ** 3;
const TOO_FUZZY = `More than ${MOST_FUZZY_TERMS} fuzzy terms of ${LONGEST_OF_MANY_FUZZY} characters, or as much in longer ones; use fewer`;

function refuseMuch(query: Group): void {
  const fuzzy = fuzzyIn(query);
  const work = fuzzy.map(workFor).reduce((sum, one) => sum + one, 0);
  if (fuzzy.length > MOST_FUZZY_TERMS || work > MOST_WORK) {
    throw new TooMuch(TOO_FUZZY);
  }
}

function fuzzyIn(clause: Clause): Fuzzy[] {
  if (clause.kind !== "group") return clause.kind === "fuzzy" ? [clause] : [];
  return [...clause.must, ...clause.should, ...clause.must_not].flatMap(fuzzyIn);
}

/** As Lunr's automaton grows; of longer texts none is made. */
function workFor({ text, distance }: Fuzzy): number {
  return distance > 1 ? Math.min(text.length, LONGEST_NEAR) ** 3 : 0;
}

interface Expanding {
  context: Context;
  until: number;
  vocabulary: Looking;
  pause: ReturnType<typeof turns>;
}

async function ofGroup(group: Group, expanding: Expanding): Promise<Group> {
  const each = (clauses: Clause[]) => inTurn(clauses, expanding);
  const { must, should, must_not } = group;
  return {
    ...group,
    must: await each(must),
    should: await each(should),
    must_not: await each(must_not),
  };
}

async function inTurn(clauses: Clause[], expanding: Expanding): Promise<Clause[]> {
  const done: Clause[] = [];
  for (const clause of clauses) {
    done.push(await ofClause(clause, expanding));
    await expanding.pause();
  }
  return done;
}

async function ofClause(clause: Clause, expanding: Expanding): Promise<Clause> {
  if (clause.kind === "group") return ofGroup(clause, expanding);
  if (clause.kind === "fuzzy") return nearby(clause, expanding);
  if (clause.kind !== "regex" && clause.kind !== "wildcard" && clause.kind !== "range")
    return clause;
  const { keeps, searched } = expanding.context;
  if (isSlow(clause, searched)) return keeps ? clause : asked(clause, expanding);
  return clause.kind === "regex" ? matched(clause, expanding) : clause;
}

/** It makes PostgreSQL read everything, or most of it. */
export function isSlow(clause: Clause | Terms, searched: Searched): boolean {
  if (clause.kind === "wildcard") return isBroad(clause);
  if (clause.kind === "range") return isOfWords(clause, searched);
  return clause.kind === "regex" && !clause.values && hasWords(clause);
}

/** The index of words does not tell which of them lie between two. */
function isOfWords({ field, from, to }: Range, { sources }: Searched): boolean {
  if (!from && !to) return false;
  return sourcesMeant(field, sources).some(({ kind }) => kind === "text");
}

/** PostgreSQL can say the same. */
function hasWords({ source }: Regex): boolean {
  const regex = readRegex(source);
  return regex !== undefined && regexCondition(sql`value`, regex.tree) !== undefined;
}

async function nearby(leaf: Fuzzy, expanding: Expanding): Promise<Leaf> {
  const { text, distance } = leaf;
  const test = { kind: "near", text: text.toLowerCase(), distance } as const;
  return { ...leaf, values: await valuesOf(leaf, expanding, test) };
}

async function matched(leaf: Regex, expanding: Expanding): Promise<Leaf> {
  if (!readRegex(leaf.source)) return leaf;
  return {
    ...leaf,
    values: await valuesOf(leaf, expanding, { kind: "matching", regex: leaf.source }),
  };
}

type Test = Parameters<Looking["passing"]>[1];

async function valuesOf(
  { field }: Leaf,
  { context, until, vocabulary }: Expanding,
  test: Test,
): Promise<Record<string, string[]>> {
  const { sources, variables } = context.searched;
  const inVariables =
    !field || field.paths.some((path) => !sources.some((one) => one.path === path));
  const families = familiesOf(sourcesMeant(field, sources), inVariables ? variables : undefined);
  const values = await vocabulary.passing(families, test, until);
  if (new Set(Object.values(values).flat()).size > MOST_VALUES) throw new TooMuch();
  return values;
}

/** By a statement of its own. */
async function asked(leaf: Regex | Wildcard | Range, { context, until }: Expanding): Promise<Leaf> {
  const sets = setsOfLeaf(leaf, context);
  if (sets.length === 0) return { ...leaf, keys: [] };
  const [found] = await slowly<{ keys: string }>(
    sql`select array_to_json(array(select distinct * from (${sql.join(sets, sql` union all `)}) found))::text as keys`,
    until,
  );
  return { ...leaf, keys: JSON.parse(found?.keys ?? "[]") };
}

function isBroad({ glob }: Wildcard): boolean {
  return !glob.some((part) => typeof part === "string" && [...part].length >= TRIGRAM);
}
