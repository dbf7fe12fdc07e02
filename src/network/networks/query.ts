// The search box above the list of networks: typed text to query, and suggestions for queries without results.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";
import { didYouMean, type Offering, type Offers } from "../../search/suggest/did_you_mean.ts";
import * as crud from "../../store/crud.ts";
import { searchDocument } from "../../store/resource.ts";
import { interpret, orBy } from "../common/read_query.ts";
import { network } from "./network.ts";

/** Words that are no values of fields. */
const MEANINGS = { sensitive: "sensitive:true" };

/** A number also matches VLANs, and an address the network that contains it. */
export function networkQuery(text: string): string {
  const { vlan, ip } = interpret(text) ?? {};
  return orBy(asContainsQuery(text, MEANINGS), [
    ...(vlan === undefined ? [] : [`vlan_id:${vlan}`]),
    ...(ip === undefined ? [] : [`address:"${ip}"`]),
  ]);
}

export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, suggestionSource(caller));
}

function suggestionSource(caller: Caller): Offering {
  return {
    document: searchDocument(network, caller),
    mayKnow: (key) => sql`exists (
      select from networks known where known.id = ${key} and ${mayKnowNetwork(caller, sql`known`)})`,
    finds: async (q) => {
      const params = new URLSearchParams({ q: networkQuery(q), per_page: "1" });
      return (await crud.list(network, caller, params)).total > 0;
    },
  };
}
