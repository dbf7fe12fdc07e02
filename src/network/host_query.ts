// The query of a list of hosts as people are told of it: what was understood, and what else they may have meant.
import type { Caller } from "../auth.ts";
import { HOST_ALIASES } from "../search/aliases.ts";
import { type Chip, describe } from "../search/describe.ts";
import { loosened } from "../search/loosen.ts";
import { parse } from "../search/parser.ts";
import { partly } from "../search/partly.ts";
import { SyntaxFault } from "../search/syntax_fault.ts";
import type { Group } from "../search/tree.ts";
import { suggestions } from "./host_search.ts";

/** Clause by clause; nothing of what cannot be read. */
export function understood(query: string): Chip[] {
  const group = read(query);
  return group ? describe(query, group) : [];
}

/** What was meant by a query that found nothing, where it is words and no more: the text as a part of others. */
export function inPart(query: string): string | undefined {
  const part = partly(query);
  return read(query) && part !== query ? part : undefined;
}

export interface Offers {
  /** The same with any, or all, of words that stood side by side and so were one text. */
  any?: string;
  all?: string;
  /** The same with a word put right. */
  corrected: string[];
}

export async function offersFor(caller: Caller, query: string): Promise<Offers> {
  const group = read(query);
  return {
    any: group && loosened(query, group, "OR"),
    all: group && loosened(query, group, "AND"),
    corrected: await suggestions(caller, query),
  };
}

function read(query: string): Group | undefined {
  try {
    return parse(query, HOST_ALIASES);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return undefined;
    throw fault;
  }
}
