// Explains the query of the list of hosts: its clauses as chips, and suggestions for queries without results.
import type { Caller } from "../../auth/auth.ts";
import { type Chip, describe } from "../../search/language/describe.ts";
import { tryParse } from "../../search/language/parser.ts";
import { asContainsQuery, isAddressPart } from "../../search/language/typed_text.ts";
import { didYouMean, type Offers } from "../../search/suggest/did_you_mean.ts";
import { fieldHint, type Hint } from "../../search/suggest/hints.ts";
import { interpret } from "../common/read_query.ts";
import { hostDocument, suggestionSource } from "./search.ts";
import { HOST_ALIASES } from "./search_document.ts";

export type { Offers } from "../../search/suggest/did_you_mean.ts";
export type { Hint } from "../../search/suggest/hints.ts";

/** One chip for each clause; none for a query that is not valid. */
export function queryChips(query: string): Chip[] {
  const group = tryParse(query, HOST_ALIASES);
  return group ? describe(query, group) : [];
}

/** For words without results: a query for fields that contain them, and for MAC addresses in any notation. */
export function containsQuery(query: string): string | undefined {
  const part = asContainsQuery(query);
  if (part === query || !(tryParse(query, HOST_ALIASES) || isAddressPart(query))) return undefined;
  const digits = query.replace(/[^0-9a-f]/gi, "");
  return interpret(query)?.macPart ? `${part} OR mac:*${digits}*` : part;
}

/** Part of an address, which is not a valid query or would be read as a field and its value. */
export function isPartOfAddress(query: string): boolean {
  return isAddressPart(query.trim()) && !tryParse(query, HOST_ALIASES);
}

/** Suggestions for a query without results. */
export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, suggestionSource(caller));
}

/** A hint for a query that names an unknown field. */
export function fieldHintOn(query: string): Hint | undefined {
  return fieldHint(query, hostDocument());
}
