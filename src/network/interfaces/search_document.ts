// What of an interface can be found, and where it is kept.
import { sql } from "drizzle-orm";
import { editedSources, nestedIn, type SearchDocument, sourcesIn } from "../../search/document.ts";
import { AMONG_MAIN } from "./main_interface.ts";

const INTERFACE = sql`interfaces.id`;
const OWN = { id: INTERFACE, from: sql`interfaces where true` };
const HOSTS = {
  id: INTERFACE,
  from: sql`interfaces join hosts on hosts.id = interfaces.host_id
    join device_types on device_types.id = hosts.device_type_id where true`,
};
const NETWORKS = {
  id: INTERFACE,
  from: sql`interfaces join networks on networks.id = interfaces.network_id where true`,
};
const DOMAINS = {
  id: INTERFACE,
  from: sql`interfaces join networks on networks.id = interfaces.network_id
    join domains on domains.id = networks.domain_id where true`,
};
const CNAMES = { id: sql`cnames.interface_id`, from: sql`cnames where true` };
const MODELS = {
  id: INTERFACE,
  from: sql`items join models on models.id = items.model_id
    join interfaces on interfaces.host_id = items.host_id
    where items.host_id is not null and not exists (select from items earlier where earlier.host_id = items.host_id
      and earlier.id < items.id and earlier.model_id is not null)`,
};

/** Of all that there are: whoever lists them takes out the hidden ones. */
export const interfaceDocument: SearchDocument = {
  id: INTERFACE,
  all: sql`interfaces`,
  aliases: {
    cname: ["cnames"],
    vlan: ["network", "network.vlan_id"],
    type: ["device_type"],
  },
  sources: [
    ...sourcesIn(OWN, {
      name: ["label", sql`interfaces.name`],
      ip: ["address", sql`interfaces.ip`],
      mac: ["mac", sql`interfaces.mac`],
      description: ["text", sql`interfaces.description`],
    }),
    { ...AMONG_MAIN, id: INTERFACE, path: "is_main", kind: "boolean" },
    ...sourcesIn(HOSTS, {
      host: ["label", sql`hosts.name`],
      device_type: ["keyword", sql`device_types.name`],
    }),
    ...nestedIn(HOSTS, "host", {
      id: ["number", sql`hosts.id`],
      name: ["label", sql`hosts.name`],
      description: ["text", sql`hosts.description`],
      is_ioc: ["boolean", sql`hosts.is_ioc`],
      device_type: ["keyword", sql`device_types.name`],
    }),
    ...sourcesIn(MODELS, { model: ["keyword", sql`models.name`] }),
    ...sourcesIn(NETWORKS, {
      netmask: ["address", sql`netmask(networks.address)`],
      network: ["keyword", sql`networks.vlan_name`],
    }),
    ...nestedIn(NETWORKS, "network", {
      id: ["number", sql`networks.id`],
      vlan_name: ["keyword", sql`networks.vlan_name`],
      vlan_id: ["number", sql`networks.vlan_id`],
      address: ["block", sql`networks.address`],
      gateway: ["address", sql`networks.gateway`],
    }),
    ...sourcesIn(DOMAINS, { domain: ["label", sql`domains.name`] }),
    ...nestedIn(DOMAINS, "domain", {
      id: ["number", sql`domains.id`],
      name: ["label", sql`domains.name`],
    }),
    ...sourcesIn(CNAMES, { cnames: ["label", sql`cnames.name`] }),
    ...nestedIn(CNAMES, "cnames", {
      id: ["number", sql`cnames.id`],
      name: ["label", sql`cnames.name`],
    }),
    ...editedSources(sql`interfaces`),
  ],
};
