// Explains the query of the list of hosts: its clauses as chips, and suggestions for queries without results.
import type { Caller } from "../../auth/auth.ts";
import { type Chip, describe } from "../../search/language/describe.ts";
import { tryParse } from "../../search/language/parser.ts";
import { asContainsQuery, isAddressPart, isPlainText } from "../../search/language/typed_text.ts";
import { didYouMean, type Offers } from "../../search/suggest/did_you_mean.ts";
import { interpret, macPattern, orBy } from "../common/read_query.ts";
import { suggestionSource } from "./search.ts";
import { HOST_ALIASES } from "./search_document.ts";

/** One chip for each clause; none for words, and for a query that is not valid. */
export function queryChips(query: string): Chip[] {
  if (isPlainText(query)) return [];
  const group = tryParse(query, HOST_ALIASES);
  return group ? describe(query, group) : [];
}

/** Words that are no values of fields. */
const MEANINGS = { ioc: "is_ioc:true" };

/** Typed text to query: also by VLAN, and by parts of MAC addresses in any notation. */
export function hostQuery(text: string): string {
  // The list marks the place of an error.
  if (!tryParse(text, HOST_ALIASES) && !isAddressPart(text.trim())) return text;
  const { vlan, macPart } = interpret(text) ?? {};
  return orBy(asContainsQuery(text, MEANINGS), [
    ...(vlan === undefined || /^\d/.test(text.trim()) ? [] : [`vlan:${vlan}`]),
    ...(macPart ? [`mac:${macPattern(text)}`] : []),
  ]);
}

/** Suggestions for a query without results. */
export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, suggestionSource(caller, hostQuery));
}
