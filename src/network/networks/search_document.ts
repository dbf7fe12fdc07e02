// What of a network can be found, and where it is kept, as far as the caller may know of who is in it.
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  editedSources,
  nestedIn,
  type SearchDocument,
  type SearchSource,
  sourcesIn,
} from "../../search/document.ts";

const NETWORK = sql`networks.id`;
const OWN = { id: NETWORK, from: sql`networks where true` };
const SCOPES = {
  id: NETWORK,
  from: sql`networks join scopes on scopes.id = networks.scope_id where true`,
};
const DOMAINS = {
  id: NETWORK,
  from: sql`networks join domains on domains.id = networks.domain_id where true`,
};

/** Of all that there are: whoever lists them takes out the sensitive ones. */
export function networkDocument(caller: Caller): SearchDocument {
  const known = sql`interfaces where ${mayKnowHost(caller, sql`interfaces.host_id`)}`;
  const interfaces = { id: sql`interfaces.network_id`, from: known };
  return {
    id: NETWORK,
    all: sql`networks`,
    names: ["vlan_name"],
    aliases: { name: ["vlan_name"], vlan: ["vlan_name", "vlan_id"], interface: ["interfaces"] },
    sources: [
      ...SOURCES,
      ...sourcesIn(interfaces, { interfaces: ["label", sql`interfaces.name`] }),
      ...nestedIn(interfaces, "interfaces", {
        id: ["number", sql`interfaces.id`],
        name: ["label", sql`interfaces.name`],
        ip: ["address", sql`interfaces.ip`],
        mac: ["mac", sql`interfaces.mac`],
      }),
    ],
  };
}

const SOURCES: readonly SearchSource[] = [
  ...sourcesIn(OWN, {
    vlan_name: ["keyword", sql`networks.vlan_name`],
    vlan_id: ["number", sql`networks.vlan_id`],
    address: ["block", sql`networks.address`],
    netmask: ["address", sql`netmask(networks.address)`],
    first_ip: ["address", sql`networks.first_ip`],
    last_ip: ["address", sql`networks.last_ip`],
    gateway: ["address", sql`networks.gateway`],
    description: ["text", sql`networks.description`],
    admin_only: ["boolean", sql`networks.admin_only`],
    sensitive: ["boolean", sql`networks.sensitive`],
  }),
  // As it is written, too, which parts of a block are looked for in.
  ...sourcesIn(OWN, { address: ["keyword", sql`networks.address::text`] }),
  ...sourcesIn(SCOPES, { scope: ["keyword", sql`scopes.name`] }),
  ...nestedIn(SCOPES, "scope", {
    id: ["number", sql`scopes.id`],
    name: ["keyword", sql`scopes.name`],
    first_vlan: ["number", sql`scopes.first_vlan`],
    last_vlan: ["number", sql`scopes.last_vlan`],
    supernet: ["block", sql`scopes.supernet`],
  }),
  ...sourcesIn(DOMAINS, { domain: ["label", sql`domains.name`] }),
  ...nestedIn(DOMAINS, "domain", {
    id: ["number", sql`domains.id`],
    name: ["label", sql`domains.name`],
  }),
  ...editedSources(sql`networks`),
];
