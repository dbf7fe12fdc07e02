// What of a domain can be found, and where it is kept, as far as the caller may know of its networks.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { editedSources, nestedIn, type SearchDocument, sourcesIn } from "../../search/document.ts";

const DOMAIN = sql`domains.id`;
const SCOPES = { id: sql`scopes.domain_id`, from: sql`scopes where true` };

export function domainDocument(caller: Caller): SearchDocument {
  const networks = {
    id: sql`networks.domain_id`,
    from: sql`networks where ${mayKnowNetwork(caller)}`,
  };
  return {
    id: DOMAIN,
    all: sql`domains`,
    aliases: { scope: ["scopes"], network: ["networks"] },
    sources: [
      ...sourcesIn(
        { id: DOMAIN, from: sql`domains where true` },
        { name: ["label", sql`domains.name`] },
      ),
      ...sourcesIn(SCOPES, { scopes: ["keyword", sql`scopes.name`] }),
      ...nestedIn(SCOPES, "scopes", {
        id: ["number", sql`scopes.id`],
        name: ["keyword", sql`scopes.name`],
        supernet: ["address", sql`scopes.supernet`],
      }),
      ...sourcesIn(networks, { networks: ["keyword", sql`networks.vlan_name`] }),
      ...nestedIn(networks, "networks", {
        id: ["number", sql`networks.id`],
        vlan_name: ["keyword", sql`networks.vlan_name`],
        address: ["address", sql`networks.address`],
      }),
      ...editedSources(sql`domains`),
    ],
  };
}
