// The query of a list of hosts, explained to people: what it means, and what else they may have meant.
import type { Caller } from "../../auth/auth.ts";
import { type Chip, describe } from "../../search/language/describe.ts";
import { tryParse } from "../../search/language/parser.ts";
import { asContainsQuery, isAddressPart } from "../../search/language/typed_text.ts";
import { didYouMean, type Offers } from "../../search/suggest/did_you_mean.ts";
import { fieldHint, type Hint } from "../../search/suggest/hints.ts";
import { interpret } from "../common/read_query.ts";
import { hostDocument, offering } from "./search.ts";
import { HOST_ALIASES } from "./search_document.ts";

export type { Offers } from "../../search/suggest/did_you_mean.ts";
export type { Hint } from "../../search/suggest/hints.ts";

/** One chip for each clause; none for a query that is not valid. */
export function understood(query: string): Chip[] {
  const group = tryParse(query, HOST_ALIASES);
  return group ? describe(query, group) : [];
}

/** For words that found nothing: fields that contain them, and MAC addresses in any notation. */
export function inPart(query: string): string | undefined {
  const part = asContainsQuery(query);
  if (part === query || !(tryParse(query, HOST_ALIASES) || isAddressPart(query))) return undefined;
  const digits = query.replace(/[^0-9a-f]/gi, "");
  return interpret(query)?.macPart ? `${part} OR mac:*${digits}*` : part;
}

/** As a query it would not be valid, or be about a field of that name. */
export function isPartOfAddress(query: string): boolean {
  return isAddressPart(query.trim()) && !tryParse(query, HOST_ALIASES);
}

/** For a query that found nothing. */
export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, offering(caller));
}

/** For a field that does not exist. */
export function fieldHintOn(query: string): Hint | undefined {
  return fieldHint(query, hostDocument);
}
