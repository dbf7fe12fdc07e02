// What people mean who type into the box above the networks, and what else they may have meant.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { asContainsQuery } from "../../search/language/typed_text.ts";
import { didYouMean, type Offering, type Offers } from "../../search/suggest/did_you_mean.ts";
import { searchDocument } from "../../store/resource.ts";
import { meant } from "../common/read_query.ts";
import { network } from "./network.ts";
import * as networks from "./networks.ts";

/** A number is a VLAN too, and an address is looked for in the network that it lies in. */
export function networksMeant(text: string): string {
  const { vlan, ip } = meant(text) ?? {};
  const part = asContainsQuery(text);
  const further = [
    ...(vlan === undefined ? [] : [`vlan_id:${vlan}`]),
    ...(ip === undefined ? [] : [`address:"${ip}"`]),
  ];
  return further.length > 0 ? [`(${part})`, ...further].join(" OR ") : part;
}

export function offersFor(caller: Caller, query: string): Promise<Offers> {
  return didYouMean(query, offering(caller));
}

function offering(caller: Caller): Offering {
  return {
    document: searchDocument(network, caller),
    mayKnow: (key) => sql`exists (
      select from networks known where known.id = ${key} and ${mayKnowNetwork(caller, sql`known`)})`,
    finds: async (q) => {
      const params = new URLSearchParams({ q: networksMeant(q), per_page: "1" });
      return (await networks.list(caller, params)).total > 0;
    },
  };
}
