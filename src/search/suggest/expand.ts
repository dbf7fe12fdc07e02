// Before a query becomes SQL, the terms that no index of PostgreSQL can find are replaced by what
// they stand for: fuzzy terms, and regular expressions that PostgreSQL cannot express, by the
// values of the vocabulary that match them.
import { sql } from "drizzle-orm";
import { LONGEST_OF_MANY_FUZZY, MOST_FUZZY_TERMS } from "../../input/limits.ts";
import { type SearchDocument, sourcesOf } from "../document.ts";
import { readRegex } from "../language/regex.ts";
import {
  type Clause,
  type ClauseGroup,
  type Fuzzy,
  type Leaf,
  leavesOf,
  type RangeTerm,
  type RegexTerm,
  type Wildcard,
} from "../language/tree.ts";
import { LONGEST_FUZZY } from "../language/words.ts";
import { slowSearch, TooMuch, yieldRegularly } from "../limits.ts";
import { isSlow, statementsFor } from "../sql/compile.ts";
import { valuesIn } from "./row_values.ts";
import { MOST_SIMILAR, type VocabularyReader, vocabularyReader } from "./vocabulary.ts";
import { wordListsOf } from "./word_lists.ts";

interface Expansion {
  document: SearchDocument;
  now: number;
  /** By performance.now(). */
  until: number;
  /**
   * Terms that read whole tables are replaced by the keys that they find: for conditions in other
   * statements.
   */
  slowByKeys?: boolean;
  /** By default that of all present records. */
  vocabulary?: VocabularyReader;
}

interface ExpandContext extends Expansion {
  vocabulary: VocabularyReader;
  pause: ReturnType<typeof yieldRegularly>;
}

export async function expand(query: ClauseGroup, expansion: Expansion): Promise<ClauseGroup> {
  refuseTooFuzzy(query);
  const { document, until } = expansion;
  const present = document.isWithoutHistory
    ? valuesIn((statement) => slowSearch(statement, until))
    : vocabularyReader(document.user);
  const vocabulary = expansion.vocabulary ?? present;
  const expanding = { ...expansion, vocabulary, pause: yieldRegularly() };
  return expandGroup(query, expanding).finally(vocabulary.end);
}

/** Checked beforehand, so that the answer does not depend on the load of the machine. */
const MOST_WORK = MOST_FUZZY_TERMS * LONGEST_OF_MANY_FUZZY ** 3;
const TOO_FUZZY = `More than ${MOST_FUZZY_TERMS} fuzzy terms of ${LONGEST_OF_MANY_FUZZY} characters, or as much in longer ones; use fewer`;

function refuseTooFuzzy(query: ClauseGroup): void {
  const fuzzy = leavesOf(query).filter((leaf) => leaf.kind === "fuzzy");
  const work = fuzzy.map(workFor).reduce((sum, one) => sum + one, 0);
  if (fuzzy.length > MOST_FUZZY_TERMS || work > MOST_WORK) throw new TooMuch(TOO_FUZZY);
}

/** Lunr's automaton grows with the cube of the length; longer texts do not use one. */
function workFor({ text, distance }: Fuzzy): number {
  return distance > 1 ? Math.min(text.length, LONGEST_FUZZY) ** 3 : 0;
}

async function expandGroup(group: ClauseGroup, expanding: ExpandContext): Promise<ClauseGroup> {
  const { must, should, must_not } = group;
  return {
    ...group,
    must: await expandAll(must, expanding),
    should: await expandAll(should, expanding),
    must_not: await expandAll(must_not, expanding),
  };
}

async function expandAll(clauses: Clause[], expanding: ExpandContext): Promise<Clause[]> {
  const expanded: Clause[] = [];
  for (const clause of clauses) {
    expanded.push(await expandClause(clause, expanding));
    await expanding.pause();
  }
  return expanded;
}

async function expandClause(clause: Clause, expanding: ExpandContext): Promise<Clause> {
  switch (clause.kind) {
    case "group":
      return expandGroup(clause, expanding);
    case "fuzzy":
      return withSimilarValues(clause, expanding);
    case "regex":
    case "wildcard":
    case "range":
      if (isSlow(clause, expanding.document))
        return expanding.slowByKeys ? withKeys(clause, expanding) : clause;
      return clause.kind === "regex" ? withMatchingValues(clause, expanding) : clause;
    default:
      return clause;
  }
}

async function withSimilarValues(leaf: Fuzzy, expanding: ExpandContext): Promise<Leaf> {
  const { text, distance } = leaf;
  const test = { kind: "similar", text: text.toLowerCase(), distance } as const;
  return { ...leaf, values: await valuesOf(leaf, expanding, test) };
}

async function withMatchingValues(leaf: RegexTerm, expanding: ExpandContext): Promise<Leaf> {
  if (!readRegex(leaf.source)) return leaf;
  const test = { kind: "matching", regex: leaf.source } as const;
  return { ...leaf, values: await valuesOf(leaf, expanding, test) };
}

type Test = Parameters<VocabularyReader["find"]>[1];

async function valuesOf(
  { field }: Leaf,
  { document: { sources, variables }, until, vocabulary }: ExpandContext,
  test: Test,
): Promise<Record<string, string[]>> {
  const isAboutVariables =
    !field || field.paths.some((path) => !sources.some((one) => one.path === path));
  const lists = wordListsOf(sourcesOf(field, sources), isAboutVariables ? variables : undefined);
  const values = await vocabulary.find(lists, test, until);
  if (new Set(Object.values(values).flat()).size > MOST_SIMILAR) throw new TooMuch();
  return values;
}

async function withKeys(
  leaf: RegexTerm | Wildcard | RangeTerm,
  expanding: ExpandContext,
): Promise<Leaf> {
  const statements = statementsFor(leaf, expanding);
  if (statements.length === 0) return { ...leaf, keys: [] };
  const [found] = await slowSearch<{ keys: string }>(
    sql`select array_to_json(array(select distinct * from (${sql.join(statements, sql` union all `)}) found))::text as keys`,
    expanding.until,
  );
  return { ...leaf, keys: JSON.parse(found?.keys ?? "[]") };
}
