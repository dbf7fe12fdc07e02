// Suggestions for a query of items that found nothing.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";
import { didYouMean, type Offers } from "../../search/suggest/did_you_mean.ts";
import { searchDocument } from "../../store/resource.ts";
import { item } from "./item.ts";
import * as items from "./items.ts";

export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, {
    document: searchDocument(item, caller),
    // All items are visible to everybody; the search document leaves out hidden hosts.
    mayKnow: () => sql`true`,
    finds: async (q) => {
      const params = new URLSearchParams({ q: asContainsQuery(q), per_page: "1" });
      return (await items.list(caller, params)).total > 0;
    },
  });
}
