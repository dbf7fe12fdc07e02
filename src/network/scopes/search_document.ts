// What of a scope can be found, and where it is kept, as far as the caller may know of its networks.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import {
  editedSources,
  nestedIn,
  type SearchDocument,
  type SearchSource,
  sourcesIn,
} from "../../search/document.ts";

const SCOPE = sql`scopes.id`;
const OWN = { id: SCOPE, from: sql`scopes where true` };
const DOMAINS = {
  id: SCOPE,
  from: sql`scopes join domains on domains.id = scopes.domain_id where true`,
};

export function scopeDocument(caller: Caller): SearchDocument {
  const networks = {
    id: sql`networks.scope_id`,
    from: sql`networks where ${mayKnowNetwork(caller)}`,
  };
  return {
    id: SCOPE,
    all: sql`scopes`,
    aliases: { network: ["networks"], vlan: ["networks", "networks.vlan_id"] },
    sources: [
      ...SOURCES,
      ...sourcesIn(networks, { networks: ["keyword", sql`networks.vlan_name`] }),
      ...nestedIn(networks, "networks", {
        id: ["number", sql`networks.id`],
        vlan_name: ["keyword", sql`networks.vlan_name`],
        vlan_id: ["number", sql`networks.vlan_id`],
        address: ["block", sql`networks.address`],
      }),
    ],
  };
}

const SOURCES: readonly SearchSource[] = [
  ...sourcesIn(OWN, {
    name: ["keyword", sql`scopes.name`],
    description: ["text", sql`scopes.description`],
    first_vlan: ["number", sql`scopes.first_vlan`],
    last_vlan: ["number", sql`scopes.last_vlan`],
    supernet: ["block", sql`scopes.supernet`],
  }),
  // As it is written, too, which parts of a block are looked for in.
  ...sourcesIn(OWN, { supernet: ["keyword", sql`scopes.supernet::text`] }),
  ...sourcesIn(DOMAINS, { domain: ["label", sql`domains.name`] }),
  ...nestedIn(DOMAINS, "domain", {
    id: ["number", sql`domains.id`],
    name: ["label", sql`domains.name`],
  }),
  ...editedSources(sql`scopes`),
];
