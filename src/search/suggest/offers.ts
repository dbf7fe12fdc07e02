// What else somebody may have meant by a query that found nothing. All that is offered finds something that whoever
// asks may see.
import { Refusal } from "../../input/errors.ts";
import { parse } from "../language/parser.ts";
import type { Searched } from "../language/search_document.ts";
import { loosened } from "../language/split_phrases.ts";
import { SyntaxFault } from "../language/syntax_error.ts";
import type { Group } from "../language/tree.ts";
import { fieldHint, type Hint } from "./hints.ts";
import { corrected, type MayKnow } from "./suggest.ts";

export interface Offers {
  /** The same with any, or all, of words that stood side by side and so were one text. */
  any?: string;
  all?: string;
  /** The same with a word put right. */
  corrected: string[];
  /** A field that there is not. */
  field?: Hint;
}

export interface Offering {
  searched: Searched;
  mayKnow: MayKnow;
  /** Whether a query finds anything for whoever asks. */
  finds: (query: string) => Promise<boolean>;
}

const MOST = 3;
/** Milliseconds for all of what may be offered. */
const PATIENCE = 1_000;

export async function offersOf(query: string, offering: Offering): Promise<Offers> {
  const { searched } = offering;
  const [any, all, names] = await Promise.all([
    loosely(query, "OR", offering),
    loosely(query, "AND", offering),
    suggestionsOf(query, offering),
  ]);
  return { any, all, corrected: names, field: fieldHint(query, searched) };
}

/** "Did you mean": the query with a word put right. */
export async function suggestionsOf(
  query: string,
  { searched, mayKnow, finds }: Offering,
): Promise<string[]> {
  const offered: string[] = [];
  const until = performance.now() + PATIENCE;
  for (const one of await corrected(query, searched, mayKnow)) {
    if (offered.length === MOST || performance.now() > until) break;
    if (await isFound(one, finds)) offered.push(one);
  }
  return offered;
}

/** By the words as they stand, or else as parts of others. */
async function loosely(
  query: string,
  by: "OR" | "AND",
  { searched, finds }: Offering,
): Promise<string | undefined> {
  const group = read(query, searched);
  if (!group) return undefined;
  for (const around of ["", "*"]) {
    const text = loosened(query, group, { by, around });
    if (text !== undefined && (await isFound(text, finds))) return text;
  }
  return undefined;
}

/** A suggestion is not worth a refusal. */
async function isFound(query: string, finds: Offering["finds"]): Promise<boolean> {
  try {
    return await finds(query);
  } catch (fault) {
    if (fault instanceof Refusal) return false;
    throw fault;
  }
}

function read(query: string, { aliases }: Searched): Group | undefined {
  try {
    return parse(query, aliases);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return undefined;
    throw fault;
  }
}
