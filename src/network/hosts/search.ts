// The search for hosts: the `q` of their list and of the search, and the queries of groups.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, limitedUser } from "../../auth/auth.ts";
import { hiddenHosts, mayKnowHost } from "../../auth/visibility.ts";
import { type SearchDocument, sourcesOf } from "../../search/document.ts";
import { find, savedCondition, searchCondition } from "../../search/find.ts";
import type { Leaf } from "../../search/language/tree.ts";
import { correctionsOf, type Offering } from "../../search/suggest/did_you_mean.ts";
import { preload } from "../../search/suggest/vocabulary.ts";
import { wordListsOf } from "../../search/suggest/word_lists.ts";
import { sharedDocument } from "../../store/resource.ts";
import { definitionsIn, SITE_FIELD } from "../../store/site/definitions.ts";
import { host } from "./host.ts";

/** For all hosts: hidden ones are excluded where a caller searches. */
export function hostDocument(): SearchDocument {
  return sharedDocument(host);
}

function documentFor(caller: Caller): SearchDocument {
  return { ...hostDocument(), user: limitedUser(caller) };
}

/** The vocabulary of fewer hosts is read fast enough by the first search, and its thread costs memory. */
const FEW_HOSTS = 100;

/** Reads the vocabulary before the first search that is not exact: of many hosts it would take longer than a search may. */
export async function preloadVocabulary(): Promise<void> {
  const found = await database.row<{ is_many: boolean }>(sql`
    select exists (select from hosts offset ${FEW_HOSTS}::integer) as is_many`);
  if (found?.is_many) await preload(wordListsOf(hostDocument().sources, hostDocument().variables));
}

/** A condition on `hosts` for the results of the caller's query; a refusal names `field`. */
export function matching(caller: Caller, text: string, field?: string): Promise<SQL> {
  return searchCondition(documentFor(caller), text, field);
}

/** The same for the query of a group; `timeoutCondition` replaces a query that takes too long. */
export function groupCondition(
  caller: Caller,
  query: string,
  timeoutCondition?: SQL,
): Promise<SQL> {
  return savedCondition(documentFor(caller), query, timeoutCondition && { late: timeoutCondition });
}

/** Values of protected hosts that others than admins can change: those of the items on them. */
const OPEN_PATH = /^(items\.(?!host$)|model$|interfaces\.model$)/;

/** Whether the results of a term can change without an admin: by a change of items, or with time. */
function isOpen(leaf: Leaf): boolean {
  if (leaf.kind === "any") return false;
  const sources = sourcesOf(leaf.field, hostDocument().sources);
  if (sources.some(({ path }) => OPEN_PATH.test(path) || isReference(path))) return true;
  return dependsOnNow(leaf) && sources.some(({ kind }) => kind === "time");
}

/** A field of the site that shows the name of another record. */
function isReference(path: string): boolean {
  return definitionsIn("hosts").some(
    ({ key, references }) => references && path === `${SITE_FIELD}.${key}`,
  );
}

function dependsOnNow(leaf: Leaf): boolean {
  const texts = leaf.kind === "range" ? [leaf.from?.text, leaf.to?.text] : [];
  if (leaf.kind === "term" || leaf.kind === "phrase") texts.push(leaf.text);
  return texts.some((text) => text?.startsWith("now"));
}

/** A condition for all that the query of a group could find without an admin; undefined if its results are fixed. */
export async function openGroupCondition(caller: Caller, query: string): Promise<SQL | undefined> {
  let count = 0;
  const countOpen = (leaf: Leaf) => {
    const open = isOpen(leaf);
    count += Number(open);
    return open;
  };
  const all = await savedCondition(documentFor(caller), query, {
    late: sql`true`,
    isOpen: countOpen,
  });
  return count > 0 ? all : undefined;
}

/** "Did you mean": the query with a word corrected, if it then has results that are visible to the caller. */
export function suggestions(caller: Caller, text: string): Promise<string[]> {
  return correctionsOf(text, suggestionSource(caller));
}

/** The source of suggestions for a caller whose text has no results; `read` makes a query of it. */
export function suggestionSource(caller: Caller, read = (text: string) => text): Offering {
  const document = { ...documentFor(caller), hidden: hiddenHosts(caller) };
  return {
    document,
    mayKnow: (host) => mayKnowHost(caller, host),
    finds: async (text) => (await find({ text: read(text), document })).total > 0,
  };
}
