// Search: which records a query finds, for every list that takes `q`. The steps of a query:
//
//   language/     reads the text as a tree
//   suggest/      replaces fuzzy terms by the values that are similar to them
//   sql/          turns each term into statements that select keys
//   cache/        runs these statements, or takes key sets that are still valid
//   evaluate.ts   combines the key sets as the tree says; rank.ts sorts them by relevance
//
// document.ts declares what can be searched, limits.ts how much one search may take.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { LONGEST_SEARCH } from "../../db/search_limits.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { bytesOf, countKeys, type KeySet, keysInSet } from "./cache/key_set.ts";
import { type ListRange, orderedPage, rankedPageOf } from "./cache/list_order.ts";
import { LARGE } from "./cache/result_cache.ts";
import type { SearchDocument } from "./document.ts";
import { type Evaluated, evaluate } from "./evaluate.ts";
import { parse } from "./language/parser.ts";
import { type SavedQuery, widened, withSavedQueries } from "./language/rewrite.ts";
import { QuerySyntaxError } from "./language/syntax_error.ts";
import { type ClauseGroup, type Leaf, leavesOf } from "./language/tree.ts";
import { deadline, TakesTooLong, withinShare } from "./limits.ts";
import { compile } from "./sql/compile.ts";
import { expand } from "./suggest/expand.ts";
import { syntaxHint } from "./suggest/hints.ts";
import { valuesIn } from "./suggest/row_values.ts";

interface SearchQuery {
  text: string;
  document: SearchDocument;
  /** The best results first. */
  isRanked?: boolean;
  /** The places in the result, in the order of the list, whose keys are wanted. */
  extent?: ListRange | undefined;
}

export interface SearchResult {
  /** True of the records. */
  where: SQL;
  total: number;
  /** If ranked: conditions of which each record meets one, the best first. */
  tiers?: SQL[];
  /** An array of the keys in the extent, if the order of the list is cached. */
  page?: SQL | undefined;
}

/** The records that the query finds, without hidden ones. */
export async function find(query: SearchQuery): Promise<SearchResult> {
  const { text, document, isRanked = false, extent } = query;
  const { id } = document;
  const found = await explained({ field: "q", text, document }, async () => {
    const [now, until] = [Date.now(), deadline()];
    const tree = parse(text, document.aliases);
    return withinShare(document.user, until, async () => {
      const completed = await complete(tree, { document, now, until });
      return evaluate(completed, { document, now, until, isRanked });
    });
  });
  return {
    where: isIn(found.keys, id),
    total: countKeys(found.keys),
    ...(isRanked && { tiers: found.tiers.map((tier) => isIn(tier, id)) }),
    page: extent && (await pageIn(found, extent, query)),
  };
}

/** PostgreSQL sorts fewer keys as quickly, unless they are ranked. */
async function pageIn(
  found: Evaluated,
  extent: ListRange,
  { document, isRanked }: SearchQuery,
): Promise<SQL | undefined> {
  if (isRanked) return rankedPageOf(found, extent, document);
  return countKeys(found.keys) > LARGE ? orderedPage(found, extent, document) : undefined;
}

/** For more keys a test of each row is cheaper than a look-up of each key. */
const MOST_LOOKED_UP = 1_000;

function isIn(keys: KeySet, id: SQL): SQL {
  if (countKeys(keys) <= MOST_LOOKED_UP) return sql`${id} = any(${integers(keysInSet(keys))})`;
  const bytes = bytesOf(keys);
  return sql`case when ${id} < ${bytes.length * 8} then get_bit(${bytes}::bytea, ${id}) = 1 else false end`;
}

// Conditions for other statements -----------------------------------------------------------------

interface SavedConditionOptions {
  /** The condition for a query that takes too long. */
  late?: SQL;
  /** Leaves that count as finding everything. */
  isOpen?: (leaf: Leaf) => boolean;
}

/**
 * True of the records that the query finds, hidden ones included; `field` is named if the query is
 * not valid.
 */
export function searchCondition(document: SearchDocument, text: string, field = "q"): Promise<SQL> {
  const until = deadline();
  return explained({ field, text, document }, () =>
    withinShare(document.user, until, () => compiled({ document, text, until })),
  );
}

/** The same of a saved query. If it is not valid any more, it finds nothing. */
export async function savedCondition(
  document: SearchDocument,
  text: string,
  { late = sql`false`, isOpen }: SavedConditionOptions = {},
): Promise<SQL> {
  // One request can need many of them at once, and waiting must not make them find nothing.
  const until = deadline() + LONGEST_SEARCH;
  try {
    return await explained({ field: "query", text, document }, () =>
      compiled({ document, text, until, isOpen }),
    );
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) return error.syntax ? sql`false` : late;
    throw error;
  }
}

// Queries on rows that only one statement has ------------------------------------------------------

/** A query for statements whose tables have rows of their own, under the names of the real tables. */
export interface RowQuery {
  leaves: readonly Leaf[];
  /**
   * The condition. Values that fuzzy terms stand for are looked for in those rows: `read` runs a
   * statement on them.
   */
  condition: (read: <Row>(statement: SQL) => Promise<Row[]>) => Promise<SQL>;
}

export async function queryOnRows(given: QueryInput): Promise<RowQuery> {
  const { text, document } = given;
  const now = Date.now();
  const tree = await explained(given, () => withSaved(parse(text, document.aliases), document));
  return {
    leaves: leavesOf(tree),
    condition: (read) =>
      explained(given, async () => {
        const expansion = { document, now, until: deadline(), vocabulary: valuesIn(read) };
        return compile(await expand(tree, expansion), { document, now });
      }),
  };
}

/** Refuses a query that is not valid; `field` is named. */
export function checkSyntax(document: SearchDocument, text: string, field: string): void {
  try {
    parse(text, document.aliases);
  } catch (error) {
    throw explanationOf(error, { field, text, document });
  }
}

interface CompileOptions extends Pick<SavedConditionOptions, "isOpen"> {
  document: SearchDocument;
  text: string;
  until: number;
}

async function compiled({ document, text, until, isOpen }: CompileOptions): Promise<SQL> {
  const now = Date.now();
  const tree = parse(text, document.aliases);
  const completed = await complete(tree, { document, now, until, isOpen, slowByKeys: true });
  return compile(completed, { document, now });
}

// Trees -------------------------------------------------------------------------------------------

interface CompletionOptions extends Pick<SavedConditionOptions, "isOpen"> {
  document: SearchDocument;
  now: number;
  until: number;
  slowByKeys?: boolean;
}

/** The tree with saved queries, and with the values that fuzzy terms stand for. */
async function complete(tree: ClauseGroup, completing: CompletionOptions): Promise<ClauseGroup> {
  const { document, isOpen, slowByKeys } = completing;
  const whole = await withSaved(tree, document);
  const query = isOpen ? widened(whole, isOpen) : whole;
  const isInexact = leavesOf(query).some(({ kind }) => kind === "fuzzy" || kind === "regex");
  return isInexact || slowByKeys ? expand(query, completing) : query;
}

async function withSaved(tree: ClauseGroup, { savedQueries, aliases = {} }: SearchDocument) {
  if (!savedQueries) return tree;
  const { field, all } = savedQueries;
  if (leavesOf(tree).every((leaf) => leaf.field?.name !== field)) return tree;
  const queries = await database.rows<SavedQuery>(all);
  return queries.length > 0 ? withSavedQueries(tree, { field, queries, aliases }) : tree;
}

// Errors ------------------------------------------------------------------------------------------

interface QueryInput {
  /** The parameter that is named in a refusal. */
  field: string;
  text: string;
  document: SearchDocument;
}

/** Refuses, with the reason, queries that are not valid or take too long. */
async function explained<T>(given: QueryInput, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explanationOf(error, given);
  }
}

function explanationOf(error: unknown, { field, text, document }: QueryInput): unknown {
  if (error instanceof TakesTooLong) return invalid(field, error.message);
  if (!(error instanceof QuerySyntaxError)) return error;
  const { message, kind, offset, end, column, expected } = error;
  const hint = syntaxHint(text, error, document);
  return new Refusal(422, `${field}: ${message}`, {
    errors: [{ field, message, code: "not_a_query" }],
    syntax: { kind, offset, end, column, expected, hint },
  });
}
