// The search box above the list of interfaces: typed text to query, and suggestions for queries without results.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";
import { didYouMean, type Offering, type Offers } from "../../search/suggest/did_you_mean.ts";
import { searchDocument } from "../../store/resource.ts";
import { interpret, macPattern, orBy } from "../common/read_query.ts";
import { networkInterface } from "./interface.ts";
import * as interfaces from "./interfaces.ts";

/** Adds parts of MAC addresses in any notation to the query. */
export function interfaceQuery(text: string): string {
  const { macPart } = interpret(text) ?? {};
  return orBy(asContainsQuery(text), macPart ? [`mac:${macPattern(text)}`] : []);
}

export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, suggestionSource(caller));
}

function suggestionSource(caller: Caller): Offering {
  return {
    document: searchDocument(networkInterface, caller),
    mayKnow: (key) => sql`exists (
      select from interfaces known where known.id = ${key} and ${mayKnowHost(caller, sql`known.host_id`)})`,
    finds: async (q) => {
      const params = new URLSearchParams({ q: interfaceQuery(q), per_page: "1" });
      return (await interfaces.list(caller, params)).total > 0;
    },
  };
}
