// What people mean who type into the box above the interfaces, and what else they may have meant.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";
import { didYouMean, type Offering, type Offers } from "../../search/suggest/did_you_mean.ts";
import { searchDocument } from "../../store/resource.ts";
import { meant } from "../common/read_query.ts";
import { networkInterface } from "./interface.ts";
import * as interfaces from "./interfaces.ts";

/** Parts of MAC addresses count in any notation. */
export function interfacesMeant(text: string): string {
  const part = asContainsQuery(text);
  if (part === text || !meant(text)?.macPart) return part;
  return `${part} OR mac:*${text.replace(/[^0-9a-f]/gi, "")}*`;
}

export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, offering(caller));
}

function offering(caller: Caller): Offering {
  return {
    document: searchDocument(networkInterface, caller),
    mayKnow: (key) => sql`exists (
      select from interfaces known where known.id = ${key} and ${mayKnowHost(caller, sql`known.host_id`)})`,
    finds: async (q) => {
      const params = new URLSearchParams({ q: interfacesMeant(q), per_page: "1" });
      return (await interfaces.list(caller, params)).total > 0;
    },
  };
}
