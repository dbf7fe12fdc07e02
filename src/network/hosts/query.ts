// The query of a list of hosts as people are told of it: what was understood, and what else they may have meant.
import type { Caller } from "../../auth/auth.ts";
import { HOST_ALIASES } from "../../search/language/aliases.ts";
import { type Chip, describe } from "../../search/language/describe.ts";
import { parse } from "../../search/language/parser.ts";
import { isAddressPart, partly } from "../../search/language/partial_words.ts";
import { SyntaxFault } from "../../search/language/syntax_error.ts";
import type { Group } from "../../search/language/tree.ts";
import { fieldHint, type Hint } from "../../search/suggest/hints.ts";
import { type Offers, offersOf } from "../../search/suggest/offers.ts";
import { meant } from "../common/read_query.ts";
import { document, offering } from "./search.ts";

export type { Hint } from "../../search/suggest/hints.ts";
export type { Offers } from "../../search/suggest/offers.ts";

/** Clause by clause; nothing of what cannot be read. */
export function understood(query: string): Chip[] {
  const group = read(query);
  return group ? describe(query, group) : [];
}

/** What was meant by words that found nothing: the text as a part of others, and of MAC addresses in any notation. */
export function inPart(query: string): string | undefined {
  const part = partly(query);
  if (part === query || !(read(query) || isAddressPart(query))) return undefined;
  const digits = query.replace(/[^0-9a-f]/gi, "");
  return meant(query)?.macPart ? `${part} OR mac:*${digits}*` : part;
}

/** It would be no query, or one for a field of that name. */
export function isPartOfAddress(query: string): boolean {
  return isAddressPart(query.trim()) && !read(query);
}

/** What else may have been meant where nothing was found. */
export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return offersOf(query, offering(caller));
}

/** A field that there is not, and what it is called. */
export function fieldHintOn(query: string): Hint | undefined {
  return fieldHint(query, document);
}

function read(query: string): Group | undefined {
  try {
    return parse(query, HOST_ALIASES);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return undefined;
    throw fault;
  }
}
